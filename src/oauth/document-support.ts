/**
 * Whether metadata documents of clients can be read. A program that is offered them does not register, so that it can't
 * sign in to a service without outbound requests. Unless the configuration decides, public hosts are asked, when a
 * program reads the metadata, and again after some minutes.
 */
import { RepoError } from "../../repos/errors.ts";
import { fetchText } from "../../repos/transport/fetch-text.ts";
import type { App } from "../app.ts";

/** Hosts at which programs have their documents. Any response proves that requests are possible. */
export const publicAddresses = ["https://vscode.dev/", "https://claude.ai/"];
const requestMs = 3000;
const possibleMs = 10 * 60_000;
const impossibleMs = 60_000;

interface Finding {
  /** Undefined if outbound requests are possible. */
  problem: string | undefined;
  at: number;
}

type Asking = Pick<App, "config" | "now">;

type ReadProblem = () => Promise<string | undefined>;

const readers = new WeakMap<Asking, ReadProblem>();

export async function readsClientDocuments(app: App): Promise<boolean> {
  return app.config.oauth.clientDocuments ?? (await outboundProblem(app)) === undefined;
}

/** The reason for which outbound requests are not possible. Undefined if they are. */
export function outboundProblem(app: Asking): Promise<string | undefined> {
  let read = readers.get(app);
  if (!read) {
    const find = () => problemOf(publicAddresses, app.config.oauth.privateNetwork);
    read = remembered(find, () => app.now().getTime());
    readers.set(app, read);
  }
  return read();
}

/** The problem found last. After some minutes, one of concurrent calls looks again, since anyone can read metadata. */
export function remembered(find: ReadProblem, now: () => number): ReadProblem {
  let finding: Promise<Finding> | undefined;
  return async () => {
    const current = finding;
    const known = await current;
    if (known && now() - known.at < (known.problem === undefined ? possibleMs : impossibleMs))
      return known.problem;
    if (!finding || finding === current) finding = find().then((problem) => ({ problem, at: now() }));
    return (await finding).problem;
  };
}

/** Undefined as soon as one of the addresses responds. */
export async function problemOf(
  addresses: readonly string[],
  allowPrivateNetwork: boolean,
): Promise<string | undefined> {
  try {
    return await Promise.any(addresses.map((address) => ask(address, allowPrivateNetwork)));
  } catch (error) {
    if (!(error instanceof AggregateError)) throw error;
    return error.errors.map((one) => (one as Error).message).join("; ");
  }
}

async function ask(address: string, allowPrivateNetwork: boolean): Promise<undefined> {
  try {
    await fetchText(address, { allowPrivateNetwork, maxBytes: 1, requestMs, maxRedirects: 0 });
  } catch (error) {
    if (!(error instanceof RepoError)) throw error;
    if (error.code === "remote_unreachable" || error.code === "remote_forbidden") throw error;
  }
}
