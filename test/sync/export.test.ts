/** What a push holds, and what lies in the way of it. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startService, type TestService } from "../support/service.ts";
import { makePackage } from "../support/zip.ts";
import { inWorld, publish, type SyncWorld } from "./world.ts";

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service.close());

const withWorld = (test: (world: SyncWorld) => Promise<void>) => inWorld(service, test);

describe("what is written of large skills", () => {
  it("is one commit where the branch has their content already, and several where it does not", () =>
    withWorld(async (world) => {
      const ids: string[] = [];
      for (const name of ["one", "other"]) {
        const uploadId = await service.upload(world.owner, makePackage(name, { "run.sh": `${name}\n` }));
        ids.push((await publish(world, name, "", { content: undefined, uploadId })).id);
      }
      await world.sync();
      const commits = () => {
        world.copy.update();
        return Number(world.copy.git("rev-list", "--count", "HEAD"));
      };
      const first = commits();
      // As large as they are said to be, and in a new place.
      await service.app.storage.database.raw
        .collection<{ _id: string }>("skills")
        .updateMany({ _id: { $in: ids } }, { $set: { "current.totalBytes": 70 * 1024 * 1024 } });
      for (const id of ids)
        await service.call("POST", `/api/skills/${id}/move`, {
          token: world.owner.token,
          body: { folder: "elsewhere", createFolders: true },
        });

      assert.equal(await world.sync(), "done");

      assert.equal(commits(), first + 1);
      assert.ok(world.copy.has("skills/elsewhere/one/run.sh"));
      world.copy.git("rm", "-rq", "skills/elsewhere");
      world.copy.push();
      assert.equal(await world.sync(true), "done");
      assert.equal(commits(), first + 4);
    }));
});

describe("a folder in the place of the list of skills", () => {
  it("is told and left as it is, and the skills are written", () =>
    withWorld(async (world) => {
      world.copy.write("skills/README.md/theirs.txt", "theirs\n");
      world.copy.push();
      await publish(world, "Text", "one");

      for (let i = 0; i < 2; i++) {
        assert.equal(await world.sync(), "done");
        assert.deepEqual(
          (await world.connection())!.refusals?.map(({ path, code }) => [path, code]),
          [["skills/README.md", "path_blocked"]],
        );
      }

      world.copy.update();
      assert.equal(world.copy.read("skills/README.md/theirs.txt"), "theirs\n");
      assert.ok(world.copy.has("skills/text/SKILL.md"));
      world.copy.git("rm", "-rq", "skills/README.md");
      world.copy.push();
      assert.equal(await world.sync(), "done");
      world.copy.update();
      assert.match(world.copy.read("skills/README.md"), /Text/);
      assert.deepEqual((await world.connection())!.refusals, []);
    }));
});
