/**
 * Where a sign-in goes on to: a path of this service, and nothing that a browser could read as another site. What is
 * answered is what the URL parser made of the text, so that no second reading can differ. Anything else is `/`.
 */
export function safeReturnTo(given: string | undefined): string {
  if (given === undefined || !given.startsWith("/") || given.length > 500) return "/";
  // A host that can't be asked for: a path that escapes it shows.
  const own = "http://return.invalid";
  const parsed = URL.canParse(given, own) ? new URL(given, own) : undefined;
  if (parsed?.origin !== own || parsed.username !== "" || parsed.password !== "") return "/";
  const path = `${parsed.pathname}${parsed.search}`;
  return /^\/(?![/\\])/.test(path) ? path : "/";
}
