/** The client, the service and the reader of the browser give one result for the same files. */
import assert from "node:assert/strict";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, it, type TestContext } from "node:test";
import { readPackageFolder } from "../../cli/pack/folder.ts";
import { compareUtf8 } from "../../contract/checks/package-rules.ts";
import { leftOutSentence } from "../../contract/package/left-out.ts";
import type { LintPayload } from "../../contract/payloads/skills/findings.ts";
import type { ManifestPayload, PublishResult } from "../../contract/payloads/skills/skills.ts";
import { svc, temporaryFolder } from "../cli/harness.ts";
import { setUpOrganization } from "../support/set-up.ts";
import { makeZip } from "../support/zip.ts";
import { bundleReader, type Reader } from "./browser-reader.ts";
import { corpus, type CorpusCase } from "./corpus.ts";

let readZip: Reader["readZip"];
const { service, owner, org } = await setUpOrganization();

type Outcome = { files: string[]; leftOut: string[]; warnings?: string[] } | { refused: string };

const entriesOf = ({ files }: CorpusCase) =>
  Object.entries(files).map(([name, file]) => ({
    name,
    ...(typeof file === "string" ? { data: file } : file),
  }));

const zipOf = (one: CorpusCase, folder = "") =>
  makeZip(
    entriesOf(one).map(({ name, data, mode = 0o644, link }) => ({
      name: folder + name,
      data: link ?? data ?? "",
      mode: link === undefined ? 0o100000 | mode : 0o120777,
    })),
  );

async function layOut(t: TestContext, one: CorpusCase): Promise<string> {
  const home = await temporaryFolder(t);
  for (const { name, data = "", mode = 0o644, link } of entriesOf(one)) {
    const file = path.join(home, "kit", name);
    await mkdir(path.dirname(file), { recursive: true });
    if (link === undefined) await writeFile(file, data);
    else await symlink(link, file);
    if (link === undefined) await chmod(file, mode);
  }
  return home;
}

const marked = (files: readonly { path: string; mode: string | undefined }[]) =>
  files.map(({ path: name, mode }) => (mode === "100755" ? `${name}*` : name));

async function storedFiles({ skill }: Pick<PublishResult, "skill">): Promise<string[]> {
  const found = await service.call<ManifestPayload>("GET", `/api/skills/${skill.publicId}/manifest`, owner);
  return marked(found.data.files);
}

const paths = (leftOut: readonly { path: string }[]) => leftOut.map((one) => one.path);

/** Content as the client reads it, and as the service has it after a publish. */
async function byClient(home: string, name: string): Promise<Outcome> {
  const ran = await svc(["publish", "kit", "-n", name, "-t", org.slug, "-o", "json"], {
    home,
    env: { SVC_API_URL: service.url, SVC_TOKEN: owner.token },
  });
  if (ran.code !== 0) return { refused: ran.error.message };
  const published = ran.data as PublishResult;
  const { files, leftOut } = await readPackageFolder(path.join(home, "kit"), "linux");
  assert.deepEqual(await storedFiles(published), marked(files));
  return { files: marked(files), leftOut: paths(leftOut), warnings: published.warnings ?? [] };
}

/** Content as the service has it after an upload, which is linted before. */
async function byUpload(zip: Buffer, name: string): Promise<Outcome> {
  const uploadId = await service.upload(owner, zip);
  const linted = await service.call<LintPayload>("POST", "/api/lint", { ...owner, body: { uploadId } });
  const body = { tenantId: org.slug, name, uploadId };
  const made = await service.call<PublishResult>("POST", "/api/skills", { token: owner.token, body });
  const { leftOut, findings } = linted.data;
  if (made.status !== 201) {
    const message = made.error!;
    assert.deepEqual(
      findings.filter(({ severity }) => severity === "error").map((one) => one.message),
      [message],
    );
    return { refused: message };
  }
  return { files: await storedFiles(made.data), leftOut: paths(leftOut), warnings: made.data.warnings ?? [] };
}

/** Content as the browser reads it. The number of files and the SKILL.md are checked by the service. */
async function byBrowser(zip: Buffer): Promise<Outcome> {
  try {
    const { files, leftOut } = await readZip(new Blob([new Uint8Array(zip)]));
    return { files: marked(files).toSorted(), leftOut: paths(leftOut) };
  } catch (error) {
    return { refused: (error as Error).message };
  }
}

const checkedByService = /at its root|more than 500 files/;

describe("the content of a package", async () => {
  ({ readZip } = await bundleReader());

  for (const [index, one] of corpus.entries())
    it(`is the same on every surface with ${one.what}`, async (t) => {
      const home = await layOut(t, one);
      const client = await byClient(home, `client ${index}`);
      const upload = await byUpload(zipOf(one), `upload ${index}`);
      const inFolder = await byUpload(zipOf(one, "kit/"), `in folder ${index}`);
      const browser = await byBrowser(zipOf(one));

      const { expected } = one;
      if ("refused" in expected) {
        assert.ok("refused" in client, JSON.stringify(client));
        assert.match(client.refused, expected.refused);
        assert.deepEqual([upload, inFolder], [client, client]);
        if (!checkedByService.test(client.refused)) assert.deepEqual(browser, client);
        return;
      }
      assert.ok("files" in client, JSON.stringify(client));
      assert.deepEqual(client.files, expected.files.toSorted(compareUtf8));
      assert.deepEqual(client.leftOut, expected.leftOut ?? []);
      assert.deepEqual([upload, inFolder], [client, client]);
      const { warnings = [], ...files } = client;
      assert.deepEqual(browser, { ...files, files: files.files.toSorted() });
      const sentence = leftOutSentence(
        client.leftOut.map((name) => ({ path: name, reason: "cache" as const })),
      );
      assert.equal(
        warnings.some((text) => text.startsWith("Left out: ")),
        sentence !== undefined,
      );
    });
});
