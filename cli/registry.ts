/** All commands by name; each is loaded when it is called. */
import type { CommandEntry, CommandGroup, Commands } from "./registry/entries.ts";
import { organizationCommands } from "./registry/organizations.ts";

export const commands: Commands = {
  login: {
    topic: "You and this machine",
    summary: "Log in through the browser, or with a token",
    load: async () => (await import("./commands/machine/login.ts")).login,
  },
  logout: {
    topic: "You and this machine",
    summary: "Remove the stored token and revoke it on the service",
    load: async () => (await import("./commands/machine/logout.ts")).logout,
  },
  whoami: {
    topic: "You and this machine",
    summary: "Show who you are logged in as",
    load: async () => (await import("./commands/machine/whoami.ts")).whoami,
  },
  install: {
    topic: "Use skills",
    summary: "Install a skill into your AI tools",
    load: async () => (await import("./commands/use/install.ts")).install,
  },
  uninstall: {
    topic: "Use skills",
    summary: "Remove an installed skill from all tools",
    load: async () => (await import("./commands/use/uninstall.ts")).uninstall,
  },
  pull: {
    topic: "Use skills",
    summary: "Update installed skills",
    load: async () => (await import("./commands/use/pull.ts")).pull,
  },
  list: {
    topic: "Use skills",
    summary: "List skills of your organizations, the catalog, or what is installed",
    load: async () => (await import("./commands/use/list.ts")).list,
  },
  search: {
    topic: "Use skills",
    summary: "Search the skills of your organizations and the public catalog",
    load: async () => (await import("./commands/use/search.ts")).search,
  },
  info: {
    topic: "Use skills",
    summary: "Show a skill's versions, files, readers and installs",
    load: async () => (await import("./commands/use/info.ts")).info,
  },
  open: {
    topic: "Use skills",
    summary: "Open a skill's page in the browser",
    load: async () => (await import("./commands/use/open.ts")).open,
  },
  outdated: {
    topic: "Use skills",
    summary: "List installed skills that svc pull would update",
    load: async () => (await import("./commands/use/outdated.ts")).outdated,
  },
  versions: {
    topic: "Use skills",
    summary: "List the published versions of a skill",
    load: async () => (await import("./commands/use/versions.ts")).versions,
  },
  diff: {
    topic: "Use skills",
    summary: "Show what changed between two versions of a skill",
    load: async () => (await import("./commands/use/diff.ts")).diff,
  },
  mcp: {
    topic: "Use skills",
    summary: "Put MCP servers of your organizations into your AI tools",
    commands: {
      list: {
        summary: "List the MCP servers of your organizations, with the tools that have them",
        load: async () => (await import("./commands/mcp/list.ts")).mcpList,
      },
      install: {
        summary: "Write an MCP server into the configuration of your AI tools",
        load: async () => (await import("./commands/mcp/install.ts")).mcpInstall,
      },
      uninstall: {
        summary: "Remove an MCP server from the configuration of your AI tools",
        load: async () => (await import("./commands/mcp/uninstall.ts")).mcpUninstall,
      },
      pull: {
        summary: "Update installed MCP servers to the revision that the registry has",
        load: async () => (await import("./commands/mcp/pull.ts")).mcpPull,
      },
    },
  },
  marketplace: {
    topic: "Use skills",
    summary: "Show how tools install skills as plugins from a marketplace",
    load: async () => (await import("./commands/use/marketplace.ts")).marketplace,
  },
  publish: {
    topic: "Publish skills",
    summary: "Publish a file or folder as a skill, or as its next version",
    load: async () => (await import("./commands/publish/publish.ts")).publish,
  },
  share: {
    topic: "Publish skills",
    summary: "Share a file or folder by link, without an account",
    load: async () => (await import("./commands/publish/share.ts")).share,
  },
  push: {
    topic: "Publish skills",
    summary: "Add a version to an existing skill, without questions",
    load: async () => (await import("./commands/publish/push.ts")).push,
  },
  restore: {
    topic: "Keep a project's skills",
    summary: "Install into a project exactly what its svc.lock has",
    load: async () => (await import("./commands/project/restore.ts")).restore,
  },
  verify: {
    topic: "Keep a project's skills",
    summary: "List deviations from what was installed, or from svc.lock",
    load: async () => (await import("./commands/project/verify.ts")).verify,
  },
  lint: {
    topic: "Publish skills",
    summary: "Check skills before they are published",
    load: async () => (await import("./commands/publish/lint.ts")).lint,
  },
  scan: {
    topic: "Publish skills",
    summary: "Look for hidden and harmful content in skills",
    load: async () => (await import("./commands/publish/scan.ts")).scan,
  },
  folders: {
    topic: "Publish skills",
    summary: "List and create the folders of an organization",
    default: "list",
    commands: {
      list: {
        summary: "List the folders that you can see",
        load: async () => (await import("./commands/publish/folders.ts")).foldersList,
      },
      create: {
        summary: "Create a folder and missing parent folders",
        load: async () => (await import("./commands/publish/folders.ts")).foldersCreate,
      },
    },
  },
  move: {
    topic: "Publish skills",
    summary: "Move a skill to another folder of its organization",
    load: async () => (await import("./commands/publish/move.ts")).move,
  },
  rename: {
    topic: "Publish skills",
    summary: "Give a skill another slug; the previous one leads to it",
    load: async () => (await import("./commands/publish/rename.ts")).rename,
  },
  visibility: {
    topic: "Publish skills",
    summary: "Choose who can read a skill, with all its versions",
    load: async () => (await import("./commands/publish/visibility.ts")).visibility,
  },
  revert: {
    topic: "Publish skills",
    summary: "Make an earlier version of a skill current, as it is",
    load: async () => (await import("./commands/publish/revert.ts")).revert,
  },
  deprecate: {
    topic: "Publish skills",
    summary: "Advise against a skill or versions of it, with what to use instead",
    load: async () => (await import("./commands/publish/deprecate.ts")).deprecate,
  },
  yank: {
    topic: "Publish skills",
    summary: "Withdraw a version: only those who name it exactly get it",
    load: async () => (await import("./commands/publish/yank.ts")).yank,
  },
  channel: {
    topic: "Publish skills",
    summary: "Name versions of a skill that installs follow, such as stable",
    commands: {
      list: {
        summary: "List the channels of a skill",
        load: async () => (await import("./commands/publish/channel.ts")).channelList,
      },
      set: {
        summary: "Make a channel point to a version",
        load: async () => (await import("./commands/publish/channel.ts")).channelSet,
      },
      delete: {
        summary: "Delete a channel",
        load: async () => (await import("./commands/publish/channel.ts")).channelDelete,
      },
    },
  },
  review: {
    topic: "Publish skills",
    summary: "Decide about versions that wait for a review",
    default: "list",
    commands: {
      list: {
        summary: "List the versions of an organization that wait",
        load: async () => (await import("./commands/publish/review.ts")).reviewList,
      },
      show: {
        summary: "Show who gets a version, its approvals and comments",
        load: async () => (await import("./commands/publish/review.ts")).reviewShow,
      },
      approve: {
        summary: "Approve a version",
        load: async () => (await import("./commands/publish/review.ts")).reviewApprove,
      },
      reject: {
        summary: "Reject a version, which is final",
        load: async () => (await import("./commands/publish/review.ts")).reviewReject,
      },
      override: {
        summary: "Release a version despite its scan",
        load: async () => (await import("./commands/publish/review.ts")).reviewOverride,
      },
    },
  },
  edit: {
    topic: "Publish skills",
    summary: "Change a skill's name, description, tags or visibility",
    load: async () => (await import("./commands/publish/edit.ts")).edit,
  },
  delete: {
    topic: "Publish skills",
    summary: "Delete a skill with all its versions, permanently",
    load: async () => (await import("./commands/publish/delete.ts")).deleteSkill,
  },
  token: {
    topic: "You and this machine",
    summary: "List, create and revoke your API tokens",
    commands: {
      list: {
        summary: "List your API tokens, newest first",
        load: async () => (await import("./commands/machine/token.ts")).tokenList,
      },
      create: {
        summary: "Create a personal API token, and print its secret once",
        load: async () => (await import("./commands/machine/token.ts")).tokenCreate,
      },
      revoke: {
        summary: "Revoke an API token at once",
        load: async () => (await import("./commands/machine/token.ts")).tokenRevoke,
      },
    },
  },
  auth: {
    topic: "You and this machine",
    summary: "Lend your login to programs that ask for it",
    commands: {
      header: {
        summary: "Print the headers of your login as JSON, for tools that run a command for them",
        load: async () => (await import("./commands/machine/auth.ts")).authHeader,
      },
      git: {
        summary: "Answer Git as a credential helper, for the service of your login",
        load: async () => (await import("./commands/machine/auth.ts")).authGit,
      },
    },
  },
  api: {
    topic: "You and this machine",
    summary: "Call the REST interface with your login, and print the response",
    load: async () => (await import("./commands/machine/api.ts")).api,
  },
  ...organizationCommands,
  doctor: {
    topic: "You and this machine",
    summary: "Check the set-up of this machine, with a remedy for each problem",
    load: async () => (await import("./commands/machine/doctor.ts")).doctor,
  },
  profile: {
    topic: "You and this machine",
    summary: "Keep several logins, each with its own installed skills",
    commands: {
      list: {
        summary: "List the profiles, the active one marked",
        load: async () => (await import("./commands/machine/profile.ts")).profileList,
      },
      create: {
        summary: "Create a profile, with no login and nothing installed",
        load: async () => (await import("./commands/machine/profile.ts")).profileCreate,
      },
      switch: {
        summary: "Activate a profile",
        load: async () => (await import("./commands/machine/profile.ts")).profileSwitch,
      },
      delete: {
        summary: "Delete a profile, with its login, preferences and installed skills",
        load: async () => (await import("./commands/machine/profile.ts")).profileDelete,
      },
    },
  },
  upgrade: {
    topic: "You and this machine",
    summary: "Install the version of svc that your service offers",
    load: async () => (await import("./commands/machine/upgrade.ts")).upgrade,
  },
  completion: {
    topic: "You and this machine",
    summary: "Print the completion script of a shell",
    load: async () => (await import("./commands/machine/completion.ts")).completion,
  },
};

export function isGroup(entry: CommandEntry | CommandGroup): entry is CommandGroup {
  return "commands" in entry;
}

/** Every command under its full name (`folders create`). */
export function listCommands(): [name: string, entry: CommandEntry][] {
  return Object.entries(commands).flatMap(([name, entry]): [string, CommandEntry][] =>
    isGroup(entry)
      ? Object.entries(entry.commands).map(([sub, command]) => [`${name} ${sub}`, command])
      : [[name, entry]],
  );
}
