/**
 * `npm start -- --demo`: an organization with real sample skills and some history, made through the service's own
 * HTTP interface as any client would. Only an empty service is seeded.
 */
import { createHash, randomBytes } from "node:crypto";
import { readFile, readdir, stat } from "node:fs/promises";
import path from "node:path";
import { compareUtf8 } from "../../contract/checks/package-rules.ts";
import { writeZip, type ZipMember } from "../../repos/archive/index.ts";
import { ensureSetupLink } from "../accounts/sign-up/setup.ts";
import type { App } from "../app.ts";

export interface DemoAccount {
  email: string;
  password: string;
  organization: string;
}

/** Seeds the samples in `folder`; undefined when the service has accounts already. */
export async function seedDemo(app: App, folder: string): Promise<DemoAccount | undefined> {
  const link = await ensureSetupLink(app);
  if (link === undefined) return undefined;
  const account = {
    email: "demo@example.com",
    password: randomBytes(12).toString("base64url"),
    organization: "demo",
  };
  const client = await signUp(app, account, new URL(link).searchParams.get("token") ?? "");
  const { id: tenantId } = await client<{ id: string }>("POST", "/api/tenants", {
    name: "Demo",
    slug: account.organization,
  });
  const publish = (body: object) =>
    client<{ skill: { id: string } }>("POST", "/api/skills", { tenantId, visibility: "public", ...body });

  const review = await readFile(path.join(folder, "code-review.md"), "utf8");
  const firstDraft = review.slice(0, review.indexOf("\n## When there is nothing to say"));
  const { skill } = await publish({ content: firstDraft });
  await client("POST", `/api/skills/${skill.id}/versions`, {
    content: review,
    bump: "minor",
    message: "Say what to do when nothing is found",
  });

  const rule = await readFile(path.join(folder, "commit-messages.md"), "utf8");
  await publish({ content: rule, type: "rule", visibility: "private" });

  const notes = await client.upload(await zipFolder(path.join(folder, "release-notes")));
  await publish({ uploadId: notes, name: "Release notes" });
  return account;
}

interface Client {
  <T = unknown>(method: string, target: string, body: object): Promise<T>;
  upload(zip: Buffer): Promise<string>;
}

async function signUp(app: App, account: DemoAccount, setupToken: string): Promise<Client> {
  const { baseUrl } = app.config;
  const send = async (
    method: string,
    target: string,
    headers: Record<string, string>,
    body: string | Uint8Array<ArrayBuffer>,
  ) => {
    const response = await fetch(new URL(target, baseUrl), {
      method,
      headers: { origin: new URL(baseUrl).origin, ...headers },
      body,
    });
    const answer = (await response.json()) as { success: boolean; error?: string; data?: unknown };
    if (!answer.success) throw new Error(`seeding the demo failed at ${target}: ${answer.error}`);
    return { response, data: answer.data };
  };
  const json = { "content-type": "application/json" };
  const fields = {
    email: account.email,
    password: account.password,
    name: "Demo",
    username: "demo",
    setupToken,
  };
  const signedUp = await send("POST", "/api/auth/sign-up", json, JSON.stringify(fields));
  const cookie = signedUp.response.headers.getSetCookie()[0]?.split(";")[0] ?? "";

  const call = async <T>(method: string, target: string, body: object) =>
    (await send(method, target, { ...json, cookie }, JSON.stringify(body))).data as T;
  const upload = async (zip: Buffer) => {
    const sha256 = createHash("sha256").update(zip).digest("hex");
    const { uploadId, url } = await call<{ uploadId: string; url: string }>("POST", "/api/uploads", {
      size: zip.length,
      sha256,
    });
    // A session's unsafe calls are JSON or multipart, so the bytes go by a token that lives as long as this one call.
    const { id, token } = await call<{ id: string; token: string }>("POST", "/api/user/tokens", {
      name: "demo upload",
    });
    await send("PUT", url, { authorization: `Bearer ${token}` }, new Uint8Array(zip));
    await call("DELETE", `/api/user/tokens/${id}`, {});
    return uploadId;
  };
  return Object.assign(call, { upload });
}

async function zipFolder(folder: string): Promise<Buffer> {
  const names = await readdir(folder, { recursive: true });
  const members: ZipMember[] = [];
  for (const name of names.map((entry) => entry.split(path.sep).join("/")).sort(compareUtf8)) {
    const file = path.join(folder, name);
    const found = await stat(file);
    if (!found.isFile()) continue;
    const mode = found.mode & 0o111 ? "100755" : "100644";
    members.push({ path: name, mode, size: found.size, open: () => readFile(file) });
  }
  const chunks: Buffer[] = [];
  for await (const chunk of writeZip(members) as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
