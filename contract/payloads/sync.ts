/** The sync with a code repository as it crosses the wire. */
import { z } from "zod";
import {
  hostKinds,
  proposalStates,
  syncModes,
  syncCauses,
  syncOutcomes,
  syncStatuses,
} from "../vocabulary.ts";
import { LeftOutPayload } from "./skills/findings.ts";
import { FileDiffPayload } from "./skills/skills.ts";
import { timestamp } from "./timestamp.ts";

const SyncProblemPayload = z
  .object({
    code: z.string().meta({ description: "for programs; new ones may come" }),
    message: z.string().meta({ description: "a sentence for people" }),
    at: timestamp,
  })
  .meta({ id: "SyncProblem" });

export const ConnectionPayload = z
  .object({
    id: z.string(),
    host: z.enum(hostKinds),
    repository: z.string().meta({ description: "owner/name, or the address of a repository elsewhere" }),
    url: z.string(),
    branch: z.string(),
    mode: z.enum(syncModes),
    marketplace: z.boolean().meta({
      description: "the sync writes the files of a marketplace of plugins into the repository",
    }),
    status: z.enum(syncStatuses).meta({
      description:
        "blocked: `problem` requires a change by a person; failing: the sync is retried automatically",
    }),
    problem: SyncProblemPayload.nullable(),
    connectedBy: z.object({ name: z.string(), username: z.string() }).meta({
      description: "whom imported versions are by",
    }),
    notified: z.boolean().meta({
      description: "the host reports pushes; otherwise the branch is polled every few minutes",
    }),
    unreadableDeliveryAt: timestamp.nullable().meta({
      description: "since when the webhook's deliveries can't be read; null once one can",
    }),
    pending: z.boolean().meta({ description: "something has been asked for that is not done yet" }),
    pendingSince: timestamp.nullable(),
    retryAt: timestamp.nullable().meta({ description: "with failing: when it is tried again" }),
    lastCommit: z.string().nullable().meta({ description: "the branch as the last sync left it" }),
    lastSyncAt: timestamp.nullable(),
    lagMs: z.number().int().nullable().meta({
      description: "time since the first unanswered change, while there is one",
    }),
    lastLagMs: z.number().int().nullable().meta({
      description: "from the first unanswered change to the end of the last sync",
    }),
    createdAt: timestamp,
  })
  .meta({ id: "RepositoryConnection" });
export type ConnectionPayload = z.infer<typeof ConnectionPayload>;

export const DisconnectedPayload = z
  .object({
    webhook: z.enum(["removed", "left", "none"]).meta({
      description:
        "left: the host could not be asked to remove the webhook, so remove it there; none: there was none",
    }),
  })
  .meta({ id: "RepositoryDisconnected" });

export const SkillProblemPayload = z
  .object({
    skillId: z
      .string()
      .nullable()
      .meta({ description: "null where no skill came of it, or none was written yet" }),
    path: z.string().meta({ description: "of its directory in the repository" }),
    problem: SyncProblemPayload,
  })
  .meta({ id: "SkillSyncProblem" });

export const ProposalPayload = z
  .object({
    branch: z.string().meta({ description: "the service's own, in the same repository" }),
    state: z.enum(proposalStates).meta({
      description:
        "none: the connected branch has all changes; branch: the branch is up to date, without a pull " +
        "request; open: the branch and its pull request are up to date; closed: " +
        "a person closed the pull request, until there are other changes; edited: " +
        "a person added commits, and the branch is not changed until it is merged or closed",
    }),
    message: z.string().meta({ description: "the same as a sentence for people" }),
    number: z.number().int().nullable().meta({ description: "of the pull request" }),
    url: z.string().nullable(),
    commit: z.string().nullable().meta({ description: "the branch as the last sync left it" }),
    skills: z.number().int().meta({ description: "whose directories it writes or removes" }),
  })
  .meta({ id: "SyncProposal" });
export type ProposalPayload = z.infer<typeof ProposalPayload>;

export const RepositorySyncPayload = z
  .object({
    connection: ConnectionPayload.nullable().meta({ description: "null while nothing is connected" }),
    proposal: ProposalPayload.nullable().meta({
      description: "with mode pull_request, from its first sync on",
    }),
    syncedSkills: z.number().int(),
    skillProblems: z
      .array(SkillProblemPayload)
      .meta({ description: "what could not be carried over, in either direction: at most 200" }),
    hosts: z.array(z.enum(hostKinds)).meta({ description: "hosts that this service can connect to" }),
  })
  .meta({ id: "RepositorySync" });
export type RepositorySyncPayload = z.infer<typeof RepositorySyncPayload>;

export const SyncRunPayload = z
  .object({
    id: z.string(),
    full: z.boolean(),
    cause: z
      .enum(syncCauses)
      .nullable()
      .meta({ description: "why it ran; null for syncs of earlier versions of the service" }),
    by: z
      .object({ userId: z.string(), username: z.string() })
      .nullable()
      .meta({ description: "the person who asked for it" }),
    outcome: z
      .enum(syncOutcomes)
      .meta({ description: "stopped: its process ended, and another run went on" }),
    startedAt: timestamp,
    endedAt: timestamp.nullable(),
    commit: z.string().nullable(),
    imported: z.number().int().meta({ description: "new versions of known skills" }),
    created: z.number().int().meta({ description: "new skills" }),
    conflicts: z.number().int(),
    exported: z.number().int().meta({ description: "skills whose directory was written" }),
    removed: z.number().int().meta({ description: "directories that were taken out" }),
    refused: z.number().int().meta({ description: "directories and skills that could not be carried over" }),
    refusals: z
      .array(z.object({ path: z.string(), code: z.string(), message: z.string() }))
      .meta({ description: "the first 100 of them" }),
    problem: SyncProblemPayload.nullable(),
  })
  .meta({ id: "SyncRun" });
export type SyncRunPayload = z.infer<typeof SyncRunPayload>;

const directory = z.object({ path: z.string(), skill: z.string().meta({ description: "the skill's slug" }) });

export const DirectoryChangesPayload = z
  .object({
    path: z.string(),
    target: z
      .enum(["repository", "service"])
      .meta({ description: "the side that is changed; the hunks lead from its content to the other's" }),
    files: z.array(FileDiffPayload).meta({
      description: "empty if only the `.svc.json` differs; files beyond the limits of a plan are `truncated`",
    }),
  })
  .meta({ id: "SyncPlanChanges" });
export type DirectoryChangesPayload = z.infer<typeof DirectoryChangesPayload>;

export const SyncPlanPayload = z
  .object({
    repository: z.string(),
    branch: z.string(),
    branchState: z.enum(["present", "missing", "empty"]).meta({
      description: "empty: a repository without a commit; the first push makes the branch",
    }),
    skills: z.number().int().meta({ description: "that the repository will hold" }),
    write: z
      .array(directory)
      .meta({ description: "directories that the next sync writes, the first 500 by path" }),
    writes: z.number().int(),
    remove: z.array(z.string()).meta({ description: "directories that it takes out, the first 500" }),
    removes: z.number().int(),
    create: z
      .array(z.object({ path: z.string() }))
      .meta({ description: "directories that become new private skills, the first 500" }),
    creates: z.number().int(),
    update: z
      .array(directory.extend({ conflict: z.boolean() }))
      .meta({ description: "directories that become new versions, the first 500" }),
    updates: z.number().int(),
    problems: z
      .array(
        z.object({
          path: z.string(),
          code: z
            .string()
            .meta({ description: "for programs, as in `skillProblems`; new ones may be added" }),
          message: z.string(),
        }),
      )
      .meta({ description: "directories that will not be synced, or whose edit is undone, the first 500" }),
    elsewhere: z.array(z.object({ path: z.string() })).meta({ description: "skills outside `skills/`" }),
    elsewheres: z.number().int(),
    leftOut: z
      .array(LeftOutPayload)
      .meta({ description: "files and folders in directories of skills that are no part of them" }),
    leftOuts: z.number().int(),
    changes: z
      .array(DirectoryChangesPayload)
      .meta({ description: "what differs in directories that both sides have, the first 40 by path" }),
  })
  .meta({ id: "SyncPlan" });
export type SyncPlanPayload = z.infer<typeof SyncPlanPayload>;
