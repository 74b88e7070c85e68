/** Commands about organizations by name. */
import type { Commands } from "./entries.ts";

const topic = "Run an organization";

export const organizationCommands: Commands = {
  sync: {
    topic,
    summary: "Sync the skills of an organization with a Git repository",
    default: "status",
    commands: {
      status: {
        summary: "Show the connected repository, and the problems of its sync",
        load: async () => (await import("../commands/sync/status.ts")).syncStatus,
      },
      plan: {
        summary: "Show what the next sync, or a new connection, would change",
        load: async () => (await import("../commands/sync/plan.ts")).syncPlan,
      },
      connect: {
        summary: "Connect a Git repository, and request the first sync",
        load: async () => (await import("../commands/sync/connect.ts")).syncConnect,
      },
      run: {
        summary: "Sync everything now, and wait for the end",
        load: async () => (await import("../commands/sync/run.ts")).syncRun,
      },
      conflicts: {
        summary: "List skills that had changed on both sides, with what to do",
        load: async () => (await import("../commands/sync/conflicts.ts")).syncConflicts,
      },
    },
  },
  audit: {
    topic,
    summary: "List what was done by you, or in an organization",
    load: async () => (await import("../commands/organizations/audit.ts")).audit,
  },
  org: {
    topic,
    summary: "List and create organizations, and manage their members",
    commands: {
      list: {
        summary: "List the organizations that you belong to",
        load: async () => (await import("../commands/organizations/org.ts")).orgList,
      },
      create: {
        summary: "Create an organization, which you own",
        load: async () => (await import("../commands/organizations/org.ts")).orgCreate,
      },
      members: {
        summary: "List members, with their roles and teams",
        load: async () => (await import("../commands/organizations/org-members.ts")).orgMembers,
      },
      invite: {
        summary: "Invite people by e-mail",
        load: async () => (await import("../commands/organizations/org-invite.ts")).orgInvite,
      },
      remove: {
        summary: "Remove a member",
        load: async () => (await import("../commands/organizations/org-members.ts")).orgRemove,
      },
    },
  },
  team: {
    topic,
    summary: "List and create teams, and manage their members",
    commands: {
      list: {
        summary: "List the teams of an organization",
        load: async () => (await import("../commands/organizations/team.ts")).teamList,
      },
      create: {
        summary: "Create a team; its roles add to those of its members",
        load: async () => (await import("../commands/organizations/team.ts")).teamCreate,
      },
      members: {
        summary: "List the members of a team",
        load: async () => (await import("../commands/organizations/team-members.ts")).teamMembers,
      },
      add: {
        summary: "Add a member of the organization to a team",
        load: async () => (await import("../commands/organizations/team-members.ts")).teamAdd,
      },
      remove: {
        summary: "Remove a member from a team; they stay in the organization",
        load: async () => (await import("../commands/organizations/team-members.ts")).teamRemove,
      },
      delete: {
        summary: "Delete a team; its members lose what they had by it",
        load: async () => (await import("../commands/organizations/team.ts")).teamDelete,
      },
    },
  },
  access: {
    topic,
    summary: "Show and change who can read and change skills and folders",
    commands: {
      show: {
        summary: "Show who can read and change a skill or folder, and why",
        load: async () => (await import("../commands/organizations/access-show.ts")).accessShow,
      },
      grant: {
        summary: "Grant members and teams access to a restricted folder, or revoke it",
        load: async () => (await import("../commands/organizations/access-grant.ts")).accessGrant,
      },
      restrict: {
        summary: "Restrict a folder to those with a grant, or lift its restriction",
        load: async () => (await import("../commands/organizations/access-restrict.ts")).accessRestrict,
      },
    },
  },
};
