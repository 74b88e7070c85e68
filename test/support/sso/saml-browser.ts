/** A browser that signs in with SAML, by the requests that it sends. */
import assert from "node:assert/strict";
import { inflateRawSync } from "node:zlib";
import type { TestService } from "../service.ts";
import { makeResponse, type ResponseFacts, type Writing } from "./identity-provider.ts";

export interface StartedSignIn {
  providerId: string;
  acs: string;
  audience: string;
  requestId: string;
  /** RelayState. */
  state: string;
  /** The cookie that binds the sign-in to its browser. */
  cookie: string;
}

/** How a sign-in ended. */
export interface Ended {
  status: number;
  location: string | null;
  /** The cookie of a session, if there is one. */
  session: string | undefined;
  text: string;
}

export async function readEnd(response: Response): Promise<Ended> {
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(";")[0]!);
  return {
    status: response.status,
    location: response.headers.get("location"),
    session: cookies.find((cookie) => /^svc_session=./.test(cookie)),
    text: await response.text(),
  };
}

export async function startSaml(
  service: TestService,
  providerId: string,
  { returnTo = "/", cookie }: { returnTo?: string; cookie?: string } = {},
): Promise<StartedSignIn> {
  const path = `/sso/${providerId}/start?return_to=${encodeURIComponent(returnTo)}`;
  const response = await service.raw("GET", path, cookie === undefined ? {} : { cookie });
  const target = new URL(response.headers.get("location") ?? "about:blank");
  const request = target.searchParams.get("SAMLRequest") ?? "";
  const xml = inflateRawSync(Buffer.from(request, "base64")).toString();
  const base = `${service.app.config.baseUrl}/sso/${providerId}`;
  const bound = response.headers.getSetCookie().find((one) => one.startsWith("svc_sso="));
  assert.match(bound ?? "", /; HttpOnly; SameSite=Lax/);
  return {
    providerId,
    acs: `${base}/acs`,
    audience: `${base}/metadata`,
    requestId: / ID="([^"]+)"/.exec(xml)![1]!,
    state: target.searchParams.get("RelayState") ?? "",
    cookie: bound!.split(";")[0]!,
  };
}

/** Posts a response. It comes from the provider's page, so browsers send no cookie with it. */
export async function postResponse(
  service: TestService,
  { providerId, state }: Pick<StartedSignIn, "providerId" | "state">,
  xml: string | Buffer,
): Promise<Ended> {
  const form = new URLSearchParams({ SAMLResponse: Buffer.from(xml).toString("base64"), RelayState: state });
  const response = await service.raw("POST", `/sso/${providerId}/acs`, {
    bytes: Buffer.from(form.toString()),
    headers: { "content-type": "application/x-www-form-urlencoded", origin: "https://idp.example.com" },
  });
  return readEnd(response);
}

/** Follows the redirect after the post, with the cookies of a browser. */
export async function followPost(
  service: TestService,
  posted: Ended,
  cookie: string | undefined,
): Promise<Ended> {
  assert.equal(posted.session, undefined, "a post from another site opens no session");
  if (posted.status !== 303 && posted.status !== 302) return posted;
  assert.match(posted.location!, /^\/sso\/[\w-]+\/complete\?state=[\w-]{43}$/);
  return readEnd(await service.raw("GET", posted.location!, cookie === undefined ? {} : { cookie }));
}

/** A whole sign-in with one response. */
export async function signInBySaml(
  service: TestService,
  started: StartedSignIn,
  person: Pick<ResponseFacts, "subject" | "email"> & Partial<ResponseFacts>,
  writing?: Writing,
): Promise<Ended> {
  const posted = await postResponse(service, started, makeResponse({ ...started, ...person }, writing));
  return followPost(service, posted, started.cookie);
}

/** Fields as the form of a page sends them. */
export async function formOf(
  fields: Record<string, string>,
): Promise<{ bytes: Buffer; headers: Record<string, string> }> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const sent = new Response(form);
  const headers = { "content-type": sent.headers.get("content-type")! };
  return { bytes: Buffer.from(await sent.arrayBuffer()), headers };
}

/** Confirms the link that a sign-in has led to. `location` is the page that asks for it. */
export async function confirmLink(service: TestService, location: string, cookie: string): Promise<Ended> {
  const { pathname, searchParams } = new URL(location, service.url);
  const form = await formOf({ state: searchParams.get("state") ?? "" });
  return readEnd(await service.raw("POST", pathname, { cookie, ...form }));
}
