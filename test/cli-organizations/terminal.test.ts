/** The questions of `svc org` and `svc access` at a terminal. */
import assert from "node:assert/strict";
import path from "node:path";
import { describe, it } from "node:test";
import { stripVTControlCharacters } from "node:util";
import type { FolderAccessPayload } from "../../contract/payloads/organizations/folders.ts";
import { newFolder } from "../support/organization.ts";
import { root } from "../support/root.ts";
import { setUpService } from "../support/set-up.ts";
import { needsTerminal, openTerminal } from "../support/terminal.ts";
import { setUp } from "./fixture.ts";

const { service } = await setUpService();

describe("at a terminal", () => {
  it(
    "asks before a member is removed or loses access, and a no changes nothing",
    needsTerminal,
    async (t) => {
      const { owner, member, org, home, json } = await setUp(service, t);
      const { token } = owner;
      const folder = await newFolder(service, org, owner, "ops");
      const isRestricted = async () =>
        (await service.call<FolderAccessPayload>("GET", `/api/folders/${folder.id}/access`, { token })).data
          .restricted;
      const memberCount = async () => ((await json("org", "members")).data as unknown[]).length;
      const answer = async (args: readonly string[], question: RegExp, key: string) => {
        const terminal = openTerminal([process.execPath, path.join(root, "bin", "svc"), ...args], {
          cwd: home,
          columns: 200,
          env: { HOME: home, SVC_API_URL: service.url, SVC_TOKEN: token, SVC_NO_UPDATE_CHECK: "1" },
        });
        await terminal.until(question);
        terminal.type(key);
        return { code: await terminal.ended, text: stripVTControlCharacters(terminal.text()) };
      };

      const restrictOps = ["access", "restrict", "ops"];
      const declined = await answer(restrictOps, /Restrict ops\/\. Continue\?/, "n");
      const before_ = await isRestricted();
      const agreed = await answer(restrictOps, /Restrict ops\/\. Continue\?/, "y");
      const kept = await answer(["org", "remove", member.username], /Remove .* from/, "n");
      const countBefore = await memberCount();
      const removed = await answer(["org", "remove", member.username], /Remove .* from/, "y");

      assert.match(declined.text, new RegExp(`1 member would lose access:\\s+${member.username}`));
      assert.deepEqual([before_, agreed.code, await isRestricted()], [false, 0, true]);
      assert.match(agreed.text, /ops\/ is restricted to those with a grant\./);
      assert.match(kept.text, /They lose their access, teams and folder grants at once/);
      assert.deepEqual([countBefore, removed.code, await memberCount()], [2, 0, 1]);
    },
  );
});
