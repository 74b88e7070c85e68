/** The test identity provider as a server for browsers: it signs in the current person, without a question. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inflateRawSync } from "node:zlib";
import { attributeXml, makeResponse } from "./identity-provider.ts";

export interface Person {
  email: string;
  groups?: readonly string[];
}

export interface ProviderServer {
  ssoUrl: string;
  /** The person who is signed in at the provider. */
  person: Person;
  close(): Promise<void>;
}

/** `host` is the name by which browsers address it. */
export async function startProviderServer(person: Person, host = "127.0.0.1"): Promise<ProviderServer> {
  const server = createServer((request, response) => {
    const asked = new URL(request.url ?? "/", "http://idp").searchParams;
    response.setHeader("content-type", "text/html");
    response.end(asked.has("SAMLRequest") ? responseForm(asked, provider.person) : "<title>Nothing</title>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const provider: ProviderServer = {
    ssoUrl: `http://${host}:${port}/sso`,
    person,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}

/** A page that posts the response to the service, as the HTTP-POST binding has it. */
function responseForm(asked: URLSearchParams, { email, groups = [] }: Person): string {
  const xml = inflateRawSync(Buffer.from(asked.get("SAMLRequest") ?? "", "base64")).toString();
  const acs = /AssertionConsumerServiceURL="([^"]+)"/.exec(xml)?.[1] ?? "";
  const response = makeResponse({
    acs,
    audience: acs.replace(/acs$/, "metadata"),
    requestId: / ID="([^"]+)"/.exec(xml)?.[1] ?? "",
    subject: email,
    email,
    attributes: attributeXml("email", email) + (groups.length > 0 ? attributeXml("groups", ...groups) : ""),
  });
  const field = (name: string, value: string) => `<input type="hidden" name="${name}" value="${value}">`;
  return (
    `<title>Identity provider</title><form method="post" action="${acs}">` +
    field("SAMLResponse", Buffer.from(response).toString("base64")) +
    field("RelayState", asked.get("RelayState") ?? "") +
    "<noscript><button>Continue</button></noscript></form>" +
    "<script>document.forms[0].submit()</script>"
  );
}
