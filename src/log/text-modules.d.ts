/** Migrations are imported as text, so that they are inside the compiled binary. */
declare module "*.sql" {
  const text: string;
  export default text;
}
