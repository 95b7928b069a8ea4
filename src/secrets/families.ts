/** The credentials that are known by their beginning: one line a kind, nothing but facts about how their makers write them. */
import { alphabet } from "./alphabet.ts";

/** One kind of token. Lengths count the characters behind the prefix. */
export interface Rule {
  readonly family: string;
  readonly prefix: string;
  readonly alphabet: number;
  readonly least: number;
  /** A longer run is something else; Infinity: the run is taken whole, however long it is. */
  readonly most: number;
  /** The prefix alone says little: nothing that could go on with it may stand beside the token. */
  readonly strict: boolean;
  /** At least one digit stands behind the prefix. */
  readonly digit: boolean;
  /** Stands somewhere behind the prefix. */
  readonly has: string;
}

/**
 * Family, prefixes, alphabet (see alphabet()), length behind the prefix, then: `!` strict, `#` digit, `has=TEXT`.
 * `+` behind a length: at least, and the whole run.
 */
const KINDS = `
1password         ops_eyJ                                        9aA+/=_-  100+
1password         A3-                                            9A-       36-37   !#
age               AGE-SECRET-KEY-1,AGE-SECRET-KEY-PQ-1           9aA       50+
airtable          pat                                            9aA.      79      !#has=.
alibaba           LTAI                                           9aA       12-26   !#
anthropic         sk-ant-                                        9aA_-     60+
apify             apify_api_                                     9aA       30+
artifactory       AKCp                                           9aA       69-73   !#
artifactory       cmVmd                                          9aA       59      !#
atlassian         ATATT3,ATCTT3                                  9aA_=-    60+
authress          sc_,ext_,scauth_,authress_                     9aA_.-    40+     has=.acc
aws-access-key    AKIA,ASIA,ABIA,ACCA                            9A        16      !
aws-bedrock       ABSKQmVkcm9ja0FQSUtleS1,bedrock-api-key-       9aA+/=    80+
bitbucket         ATBB                                           9aA       28-40   !#
bitbucket         BBDC-                                          9aA+/     40-48   !#
buildkite         bkua_,bkaj_,bkct_                              9h        40
brevo             xkeysib-,xsmtpsib-                             9aA-      70+
circleci          CCIPAT_,CCIPRJ_                                9aA_      40+
clickhouse        4b1d                                           9aA       38      !#
clojars           CLOJARS_                                       9aA       60
cloudflare        v1.0-                                          9h-       140-180 !#
cloudflare        cfat_,cfut_,cfk_                               9aA       40-60
cockroachdb       CCDB1_                                         9aA_      40+
confluent         cflt                                           9aA+/     60      !#
contentful        CFPAT-                                         9aA_-     40-50
crates-io         cio                                            9aA       32      !#
databricks        dapi,dkea,dose                                 9hH-      32-36   !#
dbt-cloud         dbtc_,dbtu_                                    9aA_=-    20+
defined           dnkey-                                         9aA_=-    60+
deno-deploy       ddp_,ddo_                                      9aA       36
depot             depot_project_,depot_org_                      9h        64
digitalocean      dop_v1_,doo_v1_,dor_v1_                        9h        64
docker            dckr_pat_,dckr_oat_                            9aA_-     24+
doppler           dp.pt.,dp.ct.,dp.sa.,dp.st.,dp.scim.,dp.audit. 9aA_.-    40+
dropbox           sl.                                            9aA_-     120+    !#
duffel            duffel_test_,duffel_live_                      9aA_=-    30+
dynatrace         dt0c01.,dt0s01.,dt0s02.,dt0s16.                9aA.      80-110
e2b               e2b_                                           9h        40
easypost          EZAK,EZTK                                      9aA       54      !#
facebook          EAAM,EAAC                                      9aA       80+     !#
figma             figd_,figdr_,figoh_,figor_                     9aA_-     20+
firecrawl         fc-                                            9h        32      !#
fireworks         fw_                                            9aA       22-24   !#
flutterwave       FLWSECK_TEST-,FLWSECK-,FLWPUBK_TEST-,FLWPUBK-  9aA-      12-50
fly               fo1_                                           9aA_-     43      #
fly               fm1r_,fm1a_,fm2_                               9aA+/=    80+
frameio           fio-u-                                         9aA_=-    60-66
github            ghp_,gho_,ghu_,ghr_                            9aA       36-255
github            ghs_                                           9aA_.-    36+
github            github_pat_                                    9aA_      50+
gitlab            glpat-,gldt-,glrt-,glrtr-,gltok-               9aA_.-    20+
gitlab            glcbt-,glft-,glffct-,glimt-,glsoat-,glwt-      9aA_-     20+
gitlab            glagent-,gloas-,glptt-                         9aA_-     40+
gitlab            GR1348941                                      9aA_-     20      !#
gitlab-session    gitlab_session=                                9a        32
gocardless        live_                                          9aA_=-    40      !#
google            AIza                                           9aA_-     35      !
google            ya29.,GOCSPX-,AQ.Ab8                           9aA_-     24+
google            1//0                                           9aA_-     40+     !#
grafana           eyJrIjoi                                       9aA=      60+
grafana           glc_                                           9aA+/=    32+
grafana           glsa_                                          9aA_      41
groq              gsk_                                           9aA       40-64
harness           pat.,sat.                                      9aA_.-    68      !#has=.
helicone          sk-helicone-,pk-helicone-                      9aA-      20+
heroku            HRKU-                                          9aA_-     36+
honeycomb         hcaik_,hcxik_,hcbik_                           9aA       50+
hubspot           pat-na1-,pat-na2-,pat-na3-,pat-eu1-,pat-ap1-   9hH-      36
huggingface       hf_,api_org_                                   aA        34
infracost         ico-                                           9aA       32      !#
inngest           signkey-prod-,signkey-test-,signkey-branch-    9h        32+
instagram         IGQV                                           9aA_-     100+    !#
intra42           s-s4t2ud-,s-s4t2af-                            9h        64
jina              jina_                                          9aA_-     40+     #
langfuse          sk-lf-                                         9h-       36
langsmith         lsv2_pt_,lsv2_sk_                              9h_       40+
linear            lin_api_,lin_oauth_                            9aA       32+
mailgun           key-                                           9h        32      !#
mapbox            sk.eyJ                                         9aA_.-    60+
metabase          mb_                                            9aA+/=    40+     !#
mongodb-atlas     mdb_sa_sk_                                     9aA_-     36+
neon              napi_                                          9a        56+
netbird           nbp_                                           9aA       36
netlify           nfp_,nfc_,nfo_,nfu_                            9aA       36
new-relic         NRAK-                                          9A        27
new-relic         NRJS-                                          9h        19
new-relic         NRII-,NRRA-,NRAA-,NRSP-                        9aA_-     28-48
nostr             nsec1                                          9a        58
notion            ntn_                                           9aA       40-50
notion            secret_                                        9aA       43      !#
npm               npm_                                           9aA       36
nuget             oy2                                            9a        43      !#
nvidia            nvapi-                                         9aA_-     50+
octopus           API-                                           9A        25-31   !#
onfido            api_live.,api_sandbox.,api_live_us.            9aA_.-    30+     #
openai            sk-proj-,sk-svcacct-,sk-admin-,sk-None-        9aA_-     40+
openai            sk-                                            9aA       20+     #
openrouter        sk-or-v1-                                      9h        64
openshift         sha256~                                        9aA_-     43
ory               ory_at_,ory_rt_,ory_st_,ory_pat_,ory_ac_       9aA_.-    30+
paddle            pdl_live_,pdl_sdbx_                            9aA_      40+
paypal            access_token$production$,access_token$sandbox$ 9aA$      32+
permit            permit_key_                                    9aA       60+
perplexity        pplx-                                          9aA       40+
pinecone          pcsk_                                          9aA_      50+
planetscale       pscale_pw_,pscale_tkn_,pscale_oauth_           9aA_.=-   32+
posthog           phx_                                           9aA       40+
postman           PMAK-                                          9h-       59
postman           PMAT-                                          9A        26
prefect           pnu_,pnb_                                      9aA       36
pulumi            pul-                                           9h        40      !
pypi              pypi-AgE                                       9aA_-     50+
razorpay          rzp_live_,rzp_test_                            9aA       14-24
readme            rdme_                                          9a        60-80
render            rnd_                                           9aA       20-40   !#
replicate         r8_                                            9aA       37
resend            re_                                            9aA_      30-40   !#
rubygems          rubygems_                                      9h        48
scaleway          SCW                                            9A        17      !#
scalingo          tk-us-,tk-eu-                                  9aA_-     48
sendgrid          SG.                                            9aA_.=-   60-72   !#
sentry            sntrys_                                        9aA+/=_   80+     has=_
sentry            sntryu_                                        9h        64
settlemint        sm_pat_,sm_aat_,sm_sat_                        9aA       16
shippo            shippo_live_,shippo_test_                      9hH       40
shopify           shpat_,shpca_,shppa_,shpss_,shptka_,shpua_     9aA       32-40
slack             xoxb-,xoxp-,xoxa-,xoxr-,xoxs-                  9aA-      10+     #
slack             xoxd-                                          9aA/+=%-  60+     #
slack             xapp-,xoxe-,xoxe.xoxp-,xoxe.xoxb-              9aA-      30+     #
slack-webhook     hooks.slack.com/services/,hooks.slack.com/workflows/,hooks.slack.com/triggers/ 9aA/+_- 24+
discord-webhook   discord.com/api/webhooks/,discordapp.com/api/webhooks/ 9aA/_- 60+
snyk              snyk_uat.,snyk_sat.                            9aA_.-    30+
sonar             squ_,sqp_,sqa_                                 9h        40
sourcegraph       sgp_,slk_                                      9hH_      40-64   !#
sourcegraph       sgp_local_                                     9hH       40
square            sq0atp-,sq0csp-,sq0idp-                        9aA_-     22-43
square            EAAA                                           9aA_-     60      !#
statsig           secret-                                        9aA       40-60   !#
stripe            sk_live_,sk_test_,sk_prod_,rk_live_,rk_test_,rk_prod_ 9aA 10+    #
stripe            whsec_                                         9aA+/=    32+
stytch            secret-live-,secret-test-                      9aA_=-    30+
supabase          sbp_,sbp_v0_                                   9h        40
supabase          sb_secret_                                     9aA_-     30+
tailscale         tskey-                                         9aA-      30+
tavily            tvly-                                          9aA-      30+     #
tencent           AKID                                           9aA       32-36   !#
trigger-dev       tr_dev_,tr_prod_,tr_pat_,tr_stg_               9aA       20+     #
twilio            SK                                             9h        32      !#
twitter           AAAAAAAAAAAAAAAAAAAAA                          9aA%      80+     !#has=%
typeform          tfp_                                           9aA_.=-   40+
val-town          vtwn_                                          9aA       24+
vault             hvs.,hvb.,hvr.                                 9aA_-     24+
vault             s.                                             9aA       24      !#
vercel            vcp_,vci_,vca_,vcr_,vck_                       9aA       24+
wandb             wandb_v1_                                      9aA_      40+
xai               xai-                                           9aA       60+
xata              xau_                                           9aA       30+
yandex            AQVN                                           9aA_-     35-38   !#
yandex            t1.                                            9aA_=.-   86+     !#
yandex            YCA,YCM,YCN,YCO,YCP,YCS                        9aA_-     36-38   !#
`;

/** All kinds, one rule a prefix. */
export const RULES: readonly Rule[] = KINDS.trim().split("\n").flatMap(rulesOf);

function rulesOf(line: string): readonly Rule[] {
  const [family = "", prefixes = "", notation = "", length = "", flags = ""] = line.trim().split(/ +/);
  const [least = 0, most = length.endsWith("+") ? Number.POSITIVE_INFINITY : least] = length.replace("+", "").split("-").map(Number);
  const [marks = "", has = ""] = flags.split("has=");
  const facts = { family, alphabet: alphabet(notation), least, most, strict: marks.includes("!"), digit: marks.includes("#"), has };
  return prefixes.split(",").map((prefix) => ({ prefix, ...facts }));
}
