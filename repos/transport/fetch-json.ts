/** Reads a JSON document over HTTP, within the rules and limits of `http.ts`. */
import { RepoError } from "../errors.ts";
import { fetchText, type DocumentLimits } from "./fetch-text.ts";

/** Throws `RepoError`, whose message names the host and never contains text of its response. */
export async function fetchJson(url: string, limits: DocumentLimits): Promise<unknown> {
  const text = await fetchText(url, limits, { headers: { accept: "application/json" } });
  try {
    return JSON.parse(text);
  } catch {
    throw new RepoError("remote_protocol", `${new URL(url).host} does not send JSON`);
  }
}
