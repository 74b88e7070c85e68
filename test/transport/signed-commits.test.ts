/** Hosts that accept only signed commits, by their messages. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { commitInfo, openMirrorBench, text } from "../mirror/fixtures.ts";
import { closedAfter } from "../support/set-up.ts";

const bench = await closedAfter(openMirrorBench());

const messages = {
  GitHub:
    "error: GH006: Protected branch update failed for refs/heads/main. Commits must have verified signatures.",
  GitLab: "GitLab: Commit must be signed with a GPG key",
};

describe("a push of commits without a signature", () => {
  for (const [host, message] of Object.entries(messages))
    it(`is recognized by the message of ${host}`, async () => {
      const target = await bench.host.newRepository();
      target.commit({ "x.txt": "x" });
      target.hook("pre-receive", `echo "${message}" >&2; exit 1`);
      const mirror = bench.newMirror();
      const fetched = await mirror.fetch(target.remote, "main");
      assert.ok(fetched.status === "fetched");
      const { prepared } = await mirror.build(fetched.commit, [text("skills/new", "x")], commitInfo);

      const result = await mirror.push(target.remote, "main", prepared!);

      assert.equal(result.status === "rejected" && result.cause, "unsigned");
    });
});
