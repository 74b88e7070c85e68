/** The beginning of a round: fetches and scans the branch, and reads the skills and merge bases. */
import type { RemoteScan } from "../../../repos/mirror/types.ts";
import type { SyncBase } from "../../../storage/sync/bases.ts";
import { requireNewBranch } from "../connection/deleted-branch.ts";
import { branchMissing } from "../connection/host-errors.ts";
import { proposalBranch } from "../connection/proposal-branch.ts";
import { SyncBlocked } from "../connection/sync-blocked.ts";
import { skipProblems, type SyncContext } from "../content/context.ts";
import {
  knownPaths,
  listLocatedSkills,
  openExports,
  type Exports,
  type LocatedSkill,
} from "../content/export/exported.ts";
import { findUnreadable, type Unreadable } from "../content/unreadable.ts";

/** Both sides at the beginning of a round; the service's side is read again after an import. */
export interface Round {
  /** Commit of the branch, or null in an empty repository. */
  parent: string | null;
  /** Tip of the branch for proposals. */
  proposalTip: string | null;
  scan: RemoteScan;
  unreadable: Unreadable;
  sides: Sides;
  exports: Exports;
}

export interface Sides {
  skills: ReadonlyMap<string, LocatedSkill>;
  bases: ReadonlyMap<string, SyncBase>;
}

/** Fetches and scans the branch, and reads the service's side. */
export async function readBranch(context: SyncContext): Promise<Round> {
  const { app, mirror, connection } = context;
  const fetched = await mirror.fetch(context.remote, connection.branch, {
    signal: context.signal,
    secondBranch: proposalBranch(connection.branch),
  });
  if (fetched.status === "no_branch") throw branchMissing(connection.branch, fetched);
  const parent = fetched.status === "fetched" ? fetched.commit : null;
  const sides = await loadSides(context);
  if (parent === null) requireNewBranch(connection, sides.bases.size);
  const known = knownPaths(sides.skills.values(), sides.bases.values());
  const scan = parent === null ? emptyScan : await mirror.scan(parent, { known });
  if (scan.skills === "blocked")
    throw new SyncBlocked(
      "skills_blocked",
      "skills is not a directory in the repository: rename what is there.",
    );
  const unreadable = findUnreadable(scan, sides.skills.values(), sides.bases);
  skipProblems(context, unreadable.others);
  const round: Round = {
    parent,
    proposalTip: (fetched.status === "fetched" && fetched.secondBranch) || null,
    scan,
    unreadable,
    sides,
    exports: openExports(app, () => round.sides.skills),
  };
  return round;
}

const emptyScan: RemoteScan = {
  commit: "",
  skills: "absent",
  complete: true,
  directories: [],
  gone: [],
  problems: [],
  unreadable: new Map(),
};

/** Reads the skills of the organization and the merge bases of the connection, each by skill id. */
export async function loadSides({ app, connection }: SyncContext): Promise<Sides> {
  const [skills, bases] = await Promise.all([
    listLocatedSkills(app, connection.tenantId),
    app.storage.syncBases.listOf(connection._id),
  ]);
  return {
    skills: new Map(skills.map((skill) => [skill.id, skill])),
    bases: new Map<string, SyncBase>(bases.map((base) => [base.skillId, base])),
  };
}
