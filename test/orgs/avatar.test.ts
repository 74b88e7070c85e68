import assert from "node:assert/strict";
import { describe, it } from "node:test";
import sharp from "sharp";
import { limits } from "../../contract/limits.ts";
import type { TenantPayload } from "../../contract/payloads/organizations/organizations.ts";
import { pruneAvatars } from "../../src/orgs/avatar/avatar.ts";
import type { TestUser } from "../support/service.ts";
import { setUpService } from "../support/set-up.ts";
import { makeFixture } from "./fixture.ts";

const { service, clock } = await setUpService();
const fixture = await makeFixture(service);

const target = () => `/api/tenants/${fixture.org.id}/avatar`;
const put = (user: TestUser, bytes: Buffer) =>
  service.call<TenantPayload>("PUT", target(), { token: user.token, bytes });
const get = (user: TestUser, headers: Record<string, string> = {}) =>
  service.raw("GET", target(), { token: user.token, headers });
const avatarCount = () => service.app.storage.database.raw.collection("avatars").countDocuments();

const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: { r: 200, g: 30, b: 60 } } });

describe("an avatar", () => {
  it("is re-encoded as a square WebP without metadata", async () => {
    const photo = await plain(900, 400)
      .withExif({ IFD0: { Copyright: "secret place" } })
      .jpeg()
      .toBuffer();

    const set = await put(fixture.owner, photo);
    const answer = await get(fixture.owner);
    const bytes = Buffer.from(await answer.arrayBuffer());
    const made = await sharp(bytes).metadata();

    assert.equal(set.status, 200, JSON.stringify(set.body));
    assert.ok(photo.includes("secret place"));
    assert.deepEqual([made.format, made.width, made.height, made.exif], ["webp", 256, 256, undefined]);
    assert.equal(answer.headers.get("content-type"), "image/webp");
    assert.ok(set.data.avatarUrl?.startsWith(`${service.url}${target()}?v=`), `${set.data.avatarUrl}`);
  });

  it("is cached under its versioned address, and revalidated under the plain one", async () => {
    const set = await put(fixture.owner, await plain(64, 64).png().toBuffer());
    const plainAnswer = await get(fixture.owner);
    const etag = plainAnswer.headers.get("etag")!;

    const held = await get(fixture.owner, { "if-none-match": etag });
    const named = await service.raw("GET", set.data.avatarUrl!, { token: fixture.owner.token });
    const other = await put(
      fixture.owner,
      await sharp({ create: { width: 9, height: 9, channels: 3, background: "blue" } })
        .gif()
        .toBuffer(),
    );

    assert.equal(held.status, 304);
    assert.match(plainAnswer.headers.get("cache-control")!, /private, no-cache/);
    assert.match(named.headers.get("cache-control")!, /private, .*immutable/);
    assert.notEqual(other.data.avatarUrl, set.data.avatarUrl);
    assert.notEqual((await get(fixture.owner)).headers.get("etag"), etag);
    assert.equal(await avatarCount(), 1);
  });

  it("is hidden from non-members, and can be set by those who may change the organization", async () => {
    const [member, stranger] = [await fixture.join("member"), await service.newUser()];
    const picture = await plain(8, 8).webp().toBuffer();

    assert.equal((await get(member)).status, 200);
    assert.equal((await get(stranger)).status, 404);
    assert.equal((await service.raw("GET", target())).status, 401);
    assert.equal((await put(member, picture)).code, "forbidden");
    assert.equal((await put(stranger, picture)).code, "not_found");
  });

  it("must be a complete image of a supported format", async () => {
    const png = await plain(300, 300).png().toBuffer();
    const noise = Buffer.alloc(200, 7);
    const huge = await plain(9000, 9000).png({ compressionLevel: 9 }).toBuffer();
    const svg = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect/></svg>`);
    const files: Record<string, Buffer> = {
      nothing: Buffer.alloc(0),
      svg,
      "svg in a picture's clothes": Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), svg]),
      html: Buffer.from("<!doctype html><script>alert(1)</script>"),
      "gif that is html": Buffer.from("GIF89a=1;</script><script>alert(1)//"),
      tiff: await plain(8, 8).tiff().toBuffer(),
      truncated: png.subarray(0, png.length / 2),
      "cut header": png.subarray(0, 20),
      noise: Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), noise]),
      "81 million pixels": huge,
    };
    assert.ok(huge.length < limits.avatarBytes);
    const earlier = (await get(fixture.owner)).headers.get("etag");

    for (const [name, bytes] of Object.entries(files)) {
      const answer = await put(fixture.owner, bytes);
      assert.deepEqual([answer.status, answer.code], [422, "content_invalid"], name);
    }
    const large = await put(fixture.owner, Buffer.concat([png, Buffer.alloc(limits.avatarBytes)]));
    assert.equal(large.code, "payload_too_large");
    assert.equal((await get(fixture.owner)).headers.get("etag"), earlier);
  });

  it("shows the first frame of an animated image", async () => {
    const frames = await Promise.all(
      ["red", "blue"].map((background) =>
        sharp({ create: { width: 32, height: 32, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    );
    const moving = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer();

    await put(fixture.owner, moving);
    const bytes = Buffer.from(await (await get(fixture.owner)).arrayBuffer());
    const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });

    assert.equal((await sharp(moving).metadata()).pages, 2);
    assert.deepEqual([info.width, info.height], [256, 256]);
    assert.ok(data[0]! > 200 && data[2]! < 60, `${data[0]} ${data[2]}`);
  });

  it("is one of many that are uploaded at once, and the others leave nothing", async () => {
    const picture = await plain(400, 300).jpeg().toBuffer();

    const answers = await Promise.all(Array.from({ length: 20 }, () => put(fixture.owner, picture)));

    assert.deepEqual(new Set(answers.map((answer) => answer.status)), new Set([200]));
    assert.equal((await get(fixture.owner)).status, 200);
    assert.equal(await avatarCount(), 1);
  });

  it("is accepted from a page by cookie, but not from another site's", async () => {
    const bytes = await plain(8, 8).png().toBuffer();
    const { cookie } = fixture.owner;
    const headers = { "content-type": "image/png" };

    const own = await service.call("PUT", target(), { cookie, bytes, headers });
    const foreign = await service.call("PUT", target(), {
      cookie,
      bytes,
      headers: { ...headers, origin: "https://evil.example" },
    });

    assert.deepEqual([own.status, foreign.code], [200, "forbidden"]);
  });

  it("is removed when it is deleted, as are the files that a crash has left", async () => {
    await service.app.storage.avatars.insert({
      _id: service.app.newId(),
      tenantId: fixture.org.id,
      bytes: Buffer.from("left behind"),
      createdAt: service.app.now(),
    });

    const removed = await service.call("DELETE", target(), { token: fixture.owner.token });
    const again = await service.call("DELETE", target(), { token: fixture.owner.token });
    clock.aheadMs = 2 * 3_600_000;
    await pruneAvatars(service.app);

    assert.deepEqual([removed.status, again.code], [200, "not_found"]);
    assert.equal((await get(fixture.owner)).status, 404);
    assert.equal(await avatarCount(), 0);
    const events = await fixture.events();
    assert.equal(events.filter((name) => name === "organization.avatar_deleted").length, 1);
    assert.ok(events.includes("organization.avatar_uploaded"));
  });
});
