/**
 * The path to which a sign-in returns: a path of this service, nothing that a browser could read as another site. The
 * result is the output of the URL parser, so that a second parser can't read it differently. Anything else becomes `/`.
 */
export function safeReturnTo(given: string | undefined): string {
  if (given === undefined || !given.startsWith("/") || given.length > 500) return "/";
  // A host that can't be requested, so that a path that leaves it is detected.
  const own = "http://return.invalid";
  const parsed = URL.canParse(given, own) ? new URL(given, own) : undefined;
  if (parsed?.origin !== own || parsed.username !== "" || parsed.password !== "") return "/";
  const path = `${parsed.pathname}${parsed.search}`;
  return /^\/(?![/\\])/.test(path) ? path : "/";
}
