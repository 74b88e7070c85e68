/**
 * A marketplace as one JSON document whose plugins are zips, for Claude Code, which reads it with the headers of its
 * settings. The skills and the names are those of the repository.
 */
import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { mapLimit } from "../../../contract/concurrency/map-limit.ts";
import { withinTime } from "../../../contract/concurrency/within-time.ts";
import { limits } from "../../../contract/limits.ts";
import type { OfferedSkill } from "../../../storage/skills/tenant-skills.ts";
import type { ZipDigest } from "../../../storage/versions/package-digests.ts";
import type { Actor } from "../../access/actor.ts";
import { recordDownload } from "../../analytics/downloads.ts";
import type { App } from "../../app.ts";
import { ServiceError } from "../../errors.ts";
import { Reply, type RequestInfo } from "../../http/route.ts";
import { cacheHeaders, notModified } from "../../http/service/conditional.ts";
import { loadSkill } from "../../skills/load.ts";
import { selectVersion } from "../../skills/versions/select-version.ts";
import { findVersionOf } from "../../skills/versions/versions.ts";
import { listedDescription } from "../listed-description.ts";
import { openPackageZip, packageZipDigest } from "../package-zip.ts";
import { packageAddress } from "./addresses.ts";
import { isTextRule, loadAudience, type MarketplaceRef } from "./audience.ts";
import { currentMarketplace } from "./marketplace.ts";

const readConcurrency = 10;
/** The client waits ten seconds. The next request finds the digests that were computed after this time. */
const maxWaitMs = 5000;

/** Digests of the zips of versions, which never change, by the ids of versions. */
const known = new LRUCache<string, ZipDigest>({ max: 20_000 });

/** Throws as `loadAudience` and `currentMarketplace` do, and `unavailable` while the zips of many versions are made. */
export async function sendCatalog(
  app: App,
  actor: Actor,
  request: RequestInfo,
  ref: MarketplaceRef,
): Promise<Reply> {
  const audience = await loadAudience(app, actor, ref);
  const { marketplace, offer } = await currentMarketplace(app, actor, audience);
  const { tenant, isPublic } = audience;
  const skills = offer.skills.filter((skill) => !isTextRule(skill));
  await withinTime(
    mapLimit(skills, readConcurrency, (skill) => digestOf(app, skill)),
    maxWaitMs,
    () => {
      throw new ServiceError("unavailable", "This marketplace is being prepared: try again in a moment.");
    },
  );
  const plugins = skills
    .toSorted((a, b) => (a.slug < b.slug ? -1 : 1))
    .flatMap((skill) => {
      const { slug, description, tags } = skill;
      const { versionId, version, semver } = skill.current;
      const zip = known.get(versionId);
      if (!zip) return [];
      const url = packageAddress(app.config.baseUrl, tenant.slug, { slug, semver, isPublic });
      return {
        name: slug,
        description: listedDescription(skill, version, description, limits.skillDescription),
        version: semver,
        keywords: tags,
        strict: false,
        skills: ["./"],
        source: { source: "archive", url, sha256: zip.sha256 },
      };
    });
  const text = JSON.stringify({
    name: marketplace.name,
    owner: { name: tenant.name },
    renames: offer.renames,
    plugins,
  });
  const etag = createHash("sha256").update(text).digest("hex").slice(0, 32);
  const headers = cacheHeaders(etag, { fixed: false, shared: isPublic });
  return notModified(request, headers) ?? new Reply(text, { type: "application/json", headers });
}

async function digestOf(app: App, { _id, current }: OfferedSkill): Promise<void> {
  const { versionId } = current;
  if (known.has(versionId)) return;
  const version = await findVersionOf(app, _id, current.version);
  if (version) known.set(versionId, await packageZipDigest(app, version));
}

/** The zip of a version of a skill that the actor may read: the same bytes as at the address of a public skill. */
export async function sendMemberPackage(
  app: App,
  actor: Actor,
  request: RequestInfo,
  { org, slug, version: semver }: { org: string; slug: string; version: string },
): Promise<Reply> {
  const skill = await loadSkill(app, actor, `${org}~${slug}`, "skill:read");
  const version = await selectVersion(app, skill, { kind: "exact", semver });
  const { sha256 } = await packageZipDigest(app, version);
  const headers = cacheHeaders(sha256, { fixed: false, shared: false });
  const unmodified = notModified(request, headers);
  if (unmodified) return unmodified;
  const zip = await openPackageZip(app, version);
  if (!request.isHead) recordDownload(app, actor, version);
  return new Reply(zip.body, {
    type: "application/zip",
    headers: { ...headers, "content-length": String(zip.size) },
  });
}
