// The closed catalogue of jobs. A job carries ids, never content: its processor reads the facts afresh, so running
// twice equals running once.

/** What each job carries. The part before the dot names its queue. */
export interface JobPayloads {
  /** Compares what Git, the records and the refs say, and mends what a stop in between left behind. */
  "upkeep.reconcile": Record<string, never>;
  /** Removes what has expired: sessions, device codes, staged uploads. */
  "upkeep.purge": Record<string, never>;
  /** Removes a deleted skill's bytes for good. */
  "upkeep.erase-skill": { skillId: string; tenantId: string };
  /** Removes what hung on a deleted account, and then its document. */
  "upkeep.erase-account": { userId: string };
  /** Brings up to date what skills say of their place after their folders changed. */
  "folders.govern": { tenantId: string };
  /** Sends the mail that is due of an invitation. */
  "mail.invitation": { invitationId: string };
  /** Takes away what hung on a membership that has ended. */
  "orgs.member-left": { tenantId: string; userId: string };
  /** Erases an organization whose grace period is over. */
  "orgs.erase": { tenantId: string };
  /** Takes a deleted team out of everything that names it. */
  "orgs.team-deleted": { tenantId: string; teamId: string };
  /** Sends the mails that wait in an account's document. */
  "mail.account": { userId: string };
  /** Schedules the personal workspaces that members of an organization still lack, and provisions them. */
  "workspaces.sync": { tenantId: string };
  /** Removes the workspace of somebody who has left, with its skills. */
  "workspaces.delete": { tenantId: string; userId: string };
  /** Joins a skill's small packs. */
  "upkeep.merge-packs": { skillId: string; tenantId: string };
}

export type JobName = keyof JobPayloads;
export type QueueName = JobName extends `${infer Q}.${string}` ? Q : never;

/** One processor per job; a job without one does not compile. */
export type Processors = { [K in JobName]: (payload: JobPayloads[K]) => Promise<void> };

/** How often a job is tried in all, and the pause before the second try, which doubles with each one. */
export interface JobPolicy {
  attempts: number;
  backoffMs: number;
}

export const jobPolicies: { readonly [K in JobName]: JobPolicy } = {
  "upkeep.reconcile": { attempts: 3, backoffMs: 10_000 },
  "upkeep.purge": { attempts: 3, backoffMs: 10_000 },
  "upkeep.erase-skill": { attempts: 10, backoffMs: 2000 },
  "upkeep.erase-account": { attempts: 10, backoffMs: 2000 },
  "folders.govern": { attempts: 10, backoffMs: 1000 },
  "mail.invitation": { attempts: 8, backoffMs: 5000 },
  "orgs.member-left": { attempts: 10, backoffMs: 1000 },
  "orgs.erase": { attempts: 10, backoffMs: 5000 },
  "orgs.team-deleted": { attempts: 10, backoffMs: 1000 },
  // Tries for some eight hours; after that the reconcile job queues what still waits.
  "mail.account": { attempts: 10, backoffMs: 60_000 },
  "workspaces.sync": { attempts: 10, backoffMs: 1000 },
  "workspaces.delete": { attempts: 10, backoffMs: 1000 },
  "upkeep.merge-packs": { attempts: 3, backoffMs: 5000 },
};

export function isJobName(name: string): name is JobName {
  return Object.hasOwn(jobPolicies, name);
}

export function queueOf(name: JobName): QueueName {
  return name.slice(0, name.indexOf(".")) as QueueName;
}

export const queueNames: readonly QueueName[] = [
  ...new Set(Object.keys(jobPolicies).map((name) => queueOf(name as JobName))),
];
