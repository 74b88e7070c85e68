/** Validation of the address of a remote over HTTP. */
import { RepoError } from "../errors.ts";
import type { Remote } from "../mirror/types.ts";
import { assertPublicHost } from "./address.ts";
import { mayBeUnencrypted } from "./connections.ts";

/** The remote's address, after validation. */
export function remoteUrl(remote: Remote & { kind: "http" }): URL {
  const url = parseUrl(remote.url);
  const invalid = (why: string) => new RepoError("invalid_remote", `the address of the repository ${why}`);
  if (url === undefined) throw invalid("is not a valid URL");
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw invalid("does not start with https:// or http://");
  if (url.username !== "" || url.password !== "")
    throw invalid("has a user name or password in it: give them separately");
  if (url.search !== "" || url.hash !== "") throw invalid("has a query or fragment");
  if (!remote.allowPrivateNetwork) {
    if (url.protocol === "http:" && !mayBeUnencrypted(url)) throw invalid("is not encrypted: use https://");
    assertPublicHost(url.hostname);
  }
  return url;
}

/** Undefined for a text that is not a URL. */
export function parseUrl(text: string, base?: URL): URL | undefined {
  return URL.canParse(text, base?.href) ? new URL(text, base) : undefined;
}
