/** The caller's identity for agents. */
import { z } from "zod";
import { IdentityPayload } from "../../contract/payloads/accounts/accounts.ts";
import type { App } from "../app.ts";
import { tool, type Tool } from "../mcp/tools/tool.ts";
import { loadIdentity } from "./identity.ts";
import { requireUser } from "./load.ts";
import { loadAccount } from "./service.ts";

export function userTools(app: App): Tool[] {
  return [
    tool({
      name: "whoami",
      title: "Who am I",
      description:
        "Returns the signed-in person and their organizations. Without a sign-in it makes the client offer one.",
      input: z.strictObject({}),
      output: IdentityPayload,
      effect: "read",
      needs: "sign-in",
      async handle({ actor }) {
        const identity = await loadIdentity(app, await loadAccount(app, actor), requireUser(actor));
        const organizations = identity.memberships.map(({ slug }) => slug).join(", ") || "none";
        return { data: identity, text: `${identity.username}. Organizations: ${organizations}.` };
      },
    }),
  ];
}
