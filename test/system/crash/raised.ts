/** The projections of a release to come: the same tables and rules under a higher version. */
import type { Projection } from "../../../src/log/projection.ts";
import { projections } from "../../../src/log/projections/all.ts";

export const raised: readonly Projection[] = projections.map((projection) => ({ ...projection, version: projection.version + 1 }));
