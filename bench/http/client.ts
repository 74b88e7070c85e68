/** A caller of the running service. */
import type { Server } from "../../test/support/server.ts";

export interface Client {
  userId: string;
  base: string;
  token: string;
  /** The session of the sign-up. */
  cookie: string;
  send<T>(method: string, path: string, body?: object): Promise<T>;
}

/** A new account with a token; the first one of a service takes its set-up link. */
export async function signUp(server: Server, username = "bench"): Promise<Client> {
  const json = { "content-type": "application/json" };
  const account = {
    email: `${username}@example.com`,
    password: "a long enough password",
    name: username,
    username,
  };
  const setupToken = new URL(server.setupLink ?? server.url).searchParams.get("token") ?? undefined;
  const post = (path: string, body: object, headers: Record<string, string>) =>
    fetch(server.url + path, {
      method: "POST",
      headers: { ...json, ...headers },
      body: JSON.stringify(body),
    });
  const signedUp = await post("/api/auth/sign-up", { ...account, setupToken }, {});
  const cookie = signedUp.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const minted = await post("/api/user/tokens", { name: "bench" }, { cookie, origin: server.url });
  const { id } = ((await signedUp.clone().json()) as { data: { id: string } }).data;
  const token = ((await minted.json()) as { data: { token: string } }).data.token;
  return {
    userId: id,
    base: server.url,
    token,
    cookie,
    async send<T>(method: string, path: string, body?: object) {
      const response = await fetch(server.url + path, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body ? json : {}) },
        body: body ? JSON.stringify(body) : undefined,
      });
      const answer = (await response.json()) as { success: boolean; data: T; error?: string };
      if (!answer.success) throw new Error(`${method} ${path}: ${answer.error}`);
      return answer.data;
    },
  };
}
