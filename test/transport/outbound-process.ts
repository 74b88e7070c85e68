/** A process that sends each kind of request of the service, with the environment that it was started with. */
import { openGitHubClient, askGitHub } from "../../repos/hosts/github-client.ts";
import { openSession } from "../../repos/transport/connect.ts";
import { fetchText } from "../../repos/transport/fetch-text.ts";
import { openGuardedFetch } from "../../repos/transport/guarded-fetch.ts";

export type RequestKind = "document" | "fetch" | "events" | "github" | "git";

export interface Outbound {
  kind: RequestKind;
  url: string;
  allowPrivateNetwork?: boolean;
}

export interface Outcome {
  /** Content of the response. */
  text?: string;
  code?: string;
  message?: string;
}

const limitMs = 60_000;
const limits = { maxBytes: 100_000, requestMs: limitMs, silenceMs: limitMs };

async function receive({ kind, url, allowPrivateNetwork = false }: Outbound): Promise<string> {
  if (kind === "document") return fetchText(url, { ...limits, allowPrivateNetwork });
  if (kind === "github") {
    const client = openGitHubClient({ apiUrl: new URL(url).origin }, "token");
    const { data } = await askGitHub("Asking", () => client.request(`GET ${new URL(url).pathname}`));
    return JSON.stringify(data);
  }
  if (kind === "git") {
    const remote = { kind: "http" as const, url, allowPrivateNetwork };
    const session = await openSession(remote, { ...limits, git: { program: "git", searchPath: undefined } });
    try {
      const { refs } = await session.discover("git-upload-pack");
      return [...refs.keys()].join();
    } finally {
      await session.close();
    }
  }
  const requests = openGuardedFetch({ ...limits, allowPrivateNetwork, firstByteMs: limitMs });
  const response = await requests.fetch(url);
  if (kind === "fetch") return response.text().finally(() => requests.close());
  const reader = response.body!.getReader();
  const { value } = (await reader.read()) as { value: Uint8Array };
  await reader.cancel();
  requests.close();
  return Buffer.from(value).toString();
}

const outcomes: Outcome[] = [];
for (const outbound of JSON.parse(process.argv[2]!) as Outbound[])
  outcomes.push(
    await receive(outbound).then(
      (text) => ({ text }),
      ({ code, message }: { code?: string; message: string }) => ({ code, message }),
    ),
  );
process.stdout.write(JSON.stringify(outcomes), () => process.exit());
