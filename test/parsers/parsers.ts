/** Every parser of untrusted bytes, with hostile input for it; each throws only for faults of the service. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { z } from "zod";
import { parsePin, parsePinnedRef } from "../../cli/arguments/pins.ts";
import { CliError } from "../../cli/errors.ts";
import { applySection, readSection, removeSection } from "../../cli/install/locations/section.ts";
import { isToolRule, readableRule, withStatedScope } from "../../cli/pack/tool-file.ts";
import { parseLock } from "../../cli/project/lock.ts";
import { editManifest, parseManifest } from "../../cli/project/manifest.ts";
import { PackageError, checkPackagePaths } from "../../contract/checks/package-rules.ts";
import { adviseOn } from "../../contract/checks/skill-advice.ts";
import { readSkillText } from "../../contract/checks/skill-rules.ts";
import { completeHead } from "../../contract/document/edit-frontmatter.ts";
import { FrontmatterError, splitFrontmatter } from "../../contract/document/frontmatter.ts";
import { scanSkill } from "../../contract/scan/scan.ts";
import { readZip } from "../../repos/archive/index.ts";
import { RepoError } from "../../repos/errors.ts";
import { readSvcId } from "../../repos/mirror/svc-record.ts";
import { refusalOfFetch } from "../../repos/serve/fetch-request.ts";
import { formatMessage, parseMessage } from "../../repos/store/message.ts";
import { parseCommit, parseRawTree } from "../../repos/store/objects.ts";
import { PackIndex, applyDelta, parseEntryHead } from "../../repos/store/pack/format.ts";
import { refuseForeignKeys } from "../../repos/transport/directory-config.ts";
import { plainText, readPackets } from "../../repos/transport/pkt-line.ts";
import type { App } from "../../src/app.ts";
import { ServiceError } from "../../src/errors.ts";
import { readFolderPath } from "../../src/folders/tree/paths.ts";
import { decodeCursor } from "../../src/http/request/cursor.ts";
import { ScimError } from "../../src/scim/errors.ts";
import { parseFilter } from "../../src/scim/filter/parse.ts";
import { readPath } from "../../src/scim/patch/operations.ts";
import { readTextSource } from "../../src/skills/publish/content/text-source.ts";
import { matchedSentence } from "../../src/skills/search/matched-sentence.ts";
import { groupsOf, relate } from "../../src/skills/search/ranking/query.ts";
import { weighTerms } from "../../src/skills/search/terms/skill-terms.ts";
import { filterBySpec, readRange, readSelector, resolveRange } from "../../src/skills/versions/semver.ts";
import { CheckFailed, Checks } from "../../src/sso/checks.ts";
import { readMetadata } from "../../src/sso/saml/metadata.ts";
import { samlChecks, type SamlCheck } from "../../src/sso/saml/names.ts";
import { checkResponse, readResponse } from "../../src/sso/saml/response-checks.ts";
import { inflate } from "../scan/corpus.ts";
import { computeHere } from "../support/compute/compute-here.ts";
import { hostileYaml } from "../support/hostile-yaml.ts";
import type { Random } from "../support/random.ts";
import { damaged, hostileJson, hostileText, soundBytes } from "./hostile-bytes.ts";

type Feed = (random: Random) => void | Promise<void>;

/** Runs a parser, which may reject its input by an error of its own. */
async function refusedBy(run: () => unknown, ...errors: (new (...args: never[]) => Error)[]): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!errors.some((type) => error instanceof type)) throw error;
    assert.doesNotMatch((error as Error).message, /call stack/i);
  }
}

const folder = mkdtempSync(path.join(os.tmpdir(), "svc-hostile-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

const versions = Array.from({ length: 300 }, (_, n) => ({
  semver: `${n % 7}.${n % 11}.${n}${n % 5 === 0 ? "-rc.1" : ""}`,
}));

const markdown = (random: Random) => `---\n${hostileYaml(random)}\n---\n# Text\n`;

export const parserInputs: Record<string, Feed> = {
  frontmatter: (random) => refusedBy(() => splitFrontmatter(markdown(random)), FrontmatterError),
  editedFrontmatter: (random) =>
    refusedBy(
      () => completeHead(`---\n${hostileYaml(random)}\n---\n`, { name: "b", description: "c" }),
      FrontmatterError,
    ),
  textSkill: (random) =>
    refusedBy(() => readTextSource(computeHere, markdown(random), "skill"), ServiceError),
  packageRoot(random) {
    const { faults } = readSkillText(markdown(random), "package");
    for (const { reason } of faults) assert.doesNotMatch(reason, /call stack/i);
  },
  advice(random) {
    const text = readSkillText(`---\nname: a\n---\n${hostileText(random, 60_000)}`, "markdown");
    adviseOn(text, { format: "package", type: "skill", folder: "a", files: ["SKILL.md"] });
  },
  async toolFile(random) {
    const text = random.once(2) ? markdown(random) : `---\n${hostileText(random, 60_000)}\n---\nx`;
    isToolRule("/a/b.md", text);
    withStatedScope("a.mdc", await readableRule(text));
  },
  range(random) {
    const text = hostileText(random, 300);
    return refusedBy(async () => {
      readSelector(text);
      const selector = readRange(text);
      if (selector.kind !== "range") return;
      await resolveRange(selector.range, versions, "1.0.0");
      await filterBySpec(text, versions, { prerelease: true });
    }, ServiceError);
  },
  pin: (random) =>
    refusedBy(() => {
      parsePinnedRef(hostileText(random, 5000));
      parsePin(hostileText(random, 5000), "--version");
    }, CliError),
  manifest: (random) =>
    refusedBy(() => {
      const text = hostileJson(random);
      parseManifest(text, "svc.json");
      editManifest(text, "svc.json", ({ skills }) => skills.set("a/c", { range: "^2" }));
    }, CliError),
  lock: (random) => refusedBy(() => parseLock(hostileJson(random), "svc.lock"), CliError),
  section(random) {
    const text = hostileText(random, 50_000);
    readSection(text, "a");
    applySection(text, "a", "block\n");
    removeSection(text, "a");
  },
  svcRecord: (random) => void readSvcId(Buffer.from(hostileJson(random))),
  cursor: (random) =>
    refusedBy(
      () => decodeCursor(Buffer.from(hostileJson(random)).toString("base64url"), z.tuple([z.string()])),
      ServiceError,
    ),
  samlMetadata: (random) =>
    refusedBy(
      () =>
        readMetadata(
          { config: { ssoPrivateNetwork: false }, now: () => new Date() } as App,
          hostileXml(random),
        ),
      ServiceError,
    ),
  samlResponse: (random) =>
    refusedBy(async () => {
      const checks = new Checks<SamlCheck>(samlChecks);
      const { root } = await readResponse(checks, Buffer.from(hostileXml(random)).toString("base64"));
      checkResponse(checks, root, { acs: "https://a/acs", idpEntityId: "https://b", requestId: "_c" });
    }, CheckFailed),
  scimFilter: (random) => refusedBy(() => parseFilter(hostileText(random, 2000)), ScimError),
  scimPath: (random) => refusedBy(() => readPath("User", hostileText(random, 3000)), ScimError),
  paths: (random) =>
    refusedBy(
      () => checkPackagePaths(Array.from({ length: 1 + random.below(20) }, () => hostileText(random, 6000))),
      PackageError,
    ),
  folderPath: (random) => refusedBy(() => readFolderPath(hostileText(random, 8192)), ServiceError),
  search(random) {
    const groups = groupsOf(hostileText(random, 200), relate([["a", "b c"]]));
    const description = hostileText(random, 1024);
    const body = hostileText(random, 66_000);
    weighTerms(
      { name: "a", slug: "a", tags: ["a"], description, body, files: [hostileText(random, 500)] },
      1000,
    );
    matchedSentence({ description, excerpt: body.slice(0, 2000) }, groups, { entries: 9, of: () => 1 });
  },
  commitMessage(random) {
    parseMessage(formatMessage(hostileText(random, 20_000), { "Svc-A": hostileText(random, 2000) }));
    plainText(hostileText(random, 60_000), 300);
  },
  gitConfig: (random) => refusedBy(() => refuseForeignKeys(hostileText(random, 60_000)), RepoError),
  zip(random) {
    const file = path.join(folder, "hostile.zip");
    writeFileSync(file, damaged(random, soundBytes.zip));
    return refusedBy(() => readZip(file, { rootFile: "SKILL.md" }), PackageError);
  },
  scan(random) {
    const zip = damaged(random, soundBytes.zip);
    const text = Buffer.from(
      hostileText(random, 20_000),
      random.pick(["utf8", "utf16le", "latin1"] as const),
    );
    const { failure } = scanSkill(
      [
        { path: "SKILL.md", data: Buffer.from(markdown(random)) },
        { path: "a.zip", data: zip },
        { path: random.pick(["a.md", "a.sh", "a.png"]), data: random.once(2) ? text : damaged(random, text) },
      ],
      { inflate },
    );
    assert.equal(failure, undefined);
  },
  gitObjects: (random) =>
    refusedBy(() => {
      const [tree, commit] = [damaged(random, soundBytes.tree), damaged(random, soundBytes.commit)];
      if (random.once(2)) parseRawTree(tree);
      else parseCommit(commit);
    }, RepoError),
  packEntry: (random) =>
    refusedBy(() => {
      const bytes = damaged(random, soundBytes.entry);
      random.pick<() => unknown>([
        () => parseEntryHead(bytes),
        () => applyDelta(Buffer.alloc(100), bytes, 1_000_000),
        () => new PackIndex(damaged(random, Buffer.alloc(1100))).entryEnd(0, 100),
      ])();
    }, RepoError),
  packets: (random) =>
    refusedBy(async () => {
      const bytes = damaged(random, soundBytes.packets);
      refusalOfFetch(bytes);
      for await (const packet of readPackets(once(bytes))) void packet;
    }, RepoError),
};

/** A damaged document, or a text that grows one of its parts. */
function hostileXml(random: Random): string {
  const sound = random.pick([soundBytes.samlResponse, soundBytes.samlMetadata]);
  if (random.once(3)) return damaged(random, sound).toString("utf8");
  const at = random.below(sound.length);
  return sound.subarray(0, at).toString() + hostileText(random, 60_000) + sound.subarray(at).toString();
}

async function* once(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}
