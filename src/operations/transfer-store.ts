/** `transfer`: copies all repositories to or from another store while the service runs, and verifies the copy. */
import { rm } from "node:fs/promises";
import path from "node:path";
import { describeLocation } from "../../repos/object-store/location.ts";
import { copyStore, type CopyReport } from "../../repos/store/copy-store.ts";
import { openSkillStore } from "../../repos/store/index.ts";
import type { PackLocation } from "../../repos/store/open-driver.ts";
import type { Stores } from "../app.ts";
import { readConfigWithStore, type Config } from "../config.ts";
import { storeOf } from "../open.ts";
import { commitHost } from "../skills/publish/author.ts";
import { isAddress, requireFolder, requireStore } from "./preflight.ts";
import { verifyStore, type VerifyReport } from "./verify.ts";

/** Another store, and whether the repositories are copied to it or from it. */
export interface Transfer {
  direction: "to" | "from";
  /** The address of a bucket, or a folder. */
  store: string;
}

export interface TransferReport {
  target: string;
  copied: CopyReport;
  verified: VerifyReport;
}

/** A younger repository that the database lacks may belong to a publish in progress. */
const publishMs = 24 * 3_600_000;

/** Throws an Error with a sentence if the other store can't be used. */
export async function transferStore(
  app: Stores,
  { direction, store }: Transfer,
  progress: (line: string) => void = () => undefined,
): Promise<TransferReport> {
  const { config, storage } = app;
  const scratch = path.join(config.cacheDir, "transfer");
  const [own, other] = [storeOf(config), await openOther(config, store, scratch)];
  if (describe(own) === describe(other))
    throw new Error("The two stores of a transfer are the same. Name another store with --to or --from.");
  const [from, to] = direction === "to" ? [own, other] : [other, own];
  const log: Parameters<typeof copyStore>[0]["log"] = ({ level, msg, ...fields }) =>
    app.log[level](fields, msg);
  try {
    const copied = await copyStore({
      from,
      to,
      log,
      isErased: async ({ skillId }) => {
        const ageMs = app.now().getTime() - Number.parseInt(skillId.slice(0, 8), 16) * 1000;
        return ageMs > publishMs && !(await storage.skills.exists(skillId));
      },
      progress: ({ repositories, packs }) => progress(`${repositories} repositories, ${packs} packs copied`),
    });
    const repos = openSkillStore({ ...to, committerHost: commitHost(config.baseUrl), log });
    try {
      const verified = await verifyStore({ storage, repos }, ({ skills, versions }) =>
        progress(`${skills} skills, ${versions} versions verified`),
      );
      return { target: describe(to), copied, verified };
    } finally {
      await repos.close();
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Throws if the object store is empty although there are skills: their repositories are elsewhere. */
export async function requireRepositories({ config, repos, storage }: Stores): Promise<void> {
  if (!config.gitStore) return;
  for await (const _ of repos.listRepos()) return;
  for await (const _ of storage.skills.eachId())
    throw new Error(
      `The object store ${describeLocation(config.gitStore.location)} has no repositories, and the database has skills: ` +
        "unset GIT_STORE and copy them with npm start -- transfer --to, or correct GIT_STORE.",
    );
}

async function openOther(config: Config, address: string, scratch: string): Promise<PackLocation> {
  if (!isAddress(address)) {
    const root = path.resolve(address);
    requireFolder(root, "the folder of the transfer");
    return { root };
  }
  const { gitStore } = readConfigWithStore(address);
  await requireStore({ ...config, gitStore });
  return { root: scratch, remote: { store: gitStore!, maxBytes: config.cacheBytes } };
}

const describe = ({ root, remote }: PackLocation) =>
  remote ? describeLocation(remote.store.location) : root;
