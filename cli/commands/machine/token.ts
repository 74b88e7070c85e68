import { limits } from "../../../contract/limits.ts";
import type { TokenPayload } from "../../../contract/payloads/accounts/tokens.ts";
import { scopableActions } from "../../../contract/vocabulary.ts";
import { collectPages } from "../../api/pages.ts";
import { defineCommand } from "../../command.ts";
import { CliError, invalidArgument } from "../../errors.ts";
import { scopesText } from "../../present.ts";
import { openSession } from "../../state/session.ts";
import { plainLine, renderTable } from "../../terminal/table.ts";

export const tokenList = defineCommand({
  positionals: {},
  flags: {},
  examples: ["svc token list", "svc token list -o json"],
  async run(context) {
    const { client } = await openSession(context);
    const { items } = await collectPages((cursor) => client.tokens({ limit: limits.pageSizeMax, cursor }));
    const { columns, paint } = context.output;
    return {
      data: items.map(presentToken),
      text:
        items.length === 0
          ? "No API tokens. Create one with svc token create."
          : renderTable(
              ["ID", "CREATED", "EXPIRES", "LAST USED", "SCOPES", "NAME"],
              items.map((token) => [
                token.id,
                token.createdAt.slice(0, 10),
                token.expiresAt?.slice(0, 10) ?? "never",
                token.lastUsedAt?.slice(0, 10) ?? "never",
                scopesText(token.scopes),
                token.isLogin ? `${token.name} (login)` : token.name,
              ]),
              { columns, paintHead: (text) => paint("bold", text), names: [0, 5] },
            ),
    };
  },
});

export const tokenCreate = defineCommand({
  positionals: {
    name: { required: true, max: limits.tokenName, description: "Name of the token, as it is listed" },
  },
  flags: {
    "expires-in-days": {
      value: "required",
      hint: "n",
      description: `Days until the token expires, 1 to ${limits.tokenExpiryDaysMax} (default: never)`,
    },
    scope: {
      value: "required",
      hint: "group:action",
      multiple: true,
      description: "Allow this action only, as skill:read; repeatable (default: all that you may do)",
    },
  },
  examples: [
    "svc token create ci --expires-in-days 90",
    "svc token create reader --scope skill:read -o json",
  ],
  async run(context, args) {
    const days = args["expires-in-days"];
    const input = {
      name: args.name,
      expiresInDays: days === undefined ? undefined : parseDays(days),
      scopes: args.scope.length === 0 ? undefined : parseScopes(args.scope),
    };
    const { client } = await openSession(context);
    const created = await client.createToken(input).catch((error: unknown) => {
      throw explainVerification(error);
    });
    const expiry =
      created.expiresAt === undefined ? "does not expire" : `expires on ${created.expiresAt.slice(0, 10)}`;
    context.output.note(
      `Created API token ${plainLine(created.name)} (${plainLine(created.id)}), which ${expiry}. ` +
        "Its secret is shown only once:",
    );
    return { data: { ...presentToken(created), token: created.token }, text: plainLine(created.token) };
  },
});

/** A login has the time of the browser session that approved it. The service's message names a route of the API. */
function explainVerification(error: unknown): unknown {
  if (!(error instanceof CliError) || error.details?.["proof"] === undefined) return error;
  return new CliError(
    error.code,
    "Creating a token requires a recent sign-in. Sign out and in again in the browser, run svc login, and create the " +
      "token within ten minutes.",
    error.details,
    { cause: error },
  );
}

export const tokenRevoke = defineCommand({
  positionals: { id: { required: true, description: "Id of the token, as in svc token list" } },
  flags: {},
  examples: ["svc token revoke 3f9Kd02LmQxW"],
  async run(context, { id }) {
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(id) || id === "current")
      throw invalidArgument("<id>", "This is not the id of a token. List the ids with svc token list.");
    const { client } = await openSession(context);
    await client.revokeTokenById(id);
    return { data: { id, revoked: true }, text: `Revoked API token ${id}.` };
  },
});

/** A token, as in JSON output: without its secret. */
function presentToken(token: TokenPayload) {
  const { id, name, scopes, allowedFolderIds, createdAt, expiresAt, lastUsedAt, isLogin } = token;
  return { id, name, scopes, allowedFolderIds, createdAt, expiresAt, lastUsedAt, isLogin };
}

function parseDays(text: string): number {
  const days = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (days < 1 || days > limits.tokenExpiryDaysMax)
    throw invalidArgument(
      "--expires-in-days",
      `--expires-in-days takes a number from 1 to ${limits.tokenExpiryDaysMax}.`,
    );
  return days;
}

function parseScopes(texts: readonly string[]): Record<string, string[]> {
  const all = Object.entries(scopableActions).flatMap(([group, actions]) =>
    actions.map((action) => ({ group, action, text: `${group}:${action}` })),
  );
  const scopes: Record<string, string[]> = {};
  for (const text of new Set(texts)) {
    const scope = all.find((one) => one.text === text);
    if (scope === undefined)
      throw invalidArgument(
        "--scope",
        `"${text}" is not a scope. Use ${all.map((one) => one.text).join(", ")}.`,
      );
    (scopes[scope.group] ??= []).push(scope.action);
  }
  return scopes;
}
