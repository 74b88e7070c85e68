/** Every command, by name; each is loaded when it is called. */
import type { Command } from "./command.ts";

export interface CommandEntry {
  summary: string;
  load(): Promise<Command>;
}

/** Commands that share a first word. */
export interface CommandGroup {
  summary: string;
  commands: Readonly<Record<string, CommandEntry>>;
  /** The one that the group's name alone stands for. */
  default?: string;
}

export const commands: Readonly<Record<string, CommandEntry | CommandGroup>> = {
  login: {
    summary: "Log in through the browser, or with a token",
    load: async () => (await import("./commands/login.ts")).login,
  },
  logout: {
    summary: "Forget the stored token",
    load: async () => (await import("./commands/logout.ts")).logout,
  },
  whoami: {
    summary: "Show who you are logged in as",
    load: async () => (await import("./commands/whoami.ts")).whoami,
  },
  install: {
    summary: "Install a skill into your AI tools",
    load: async () => (await import("./commands/install.ts")).install,
  },
  uninstall: {
    summary: "Remove an installed skill from all tools",
    load: async () => (await import("./commands/uninstall.ts")).uninstall,
  },
  pull: {
    summary: "Bring installed skills up to date",
    load: async () => (await import("./commands/pull.ts")).pull,
  },
  list: {
    summary: "List skills of your organizations, the catalog, or what is installed",
    load: async () => (await import("./commands/list.ts")).list,
  },
  versions: {
    summary: "List the published versions of a skill",
    load: async () => (await import("./commands/versions.ts")).versions,
  },
  diff: {
    summary: "Show what changed between two versions of a skill",
    load: async () => (await import("./commands/diff.ts")).diff,
  },
  publish: {
    summary: "Publish a file or folder as a skill",
    load: async () => (await import("./commands/publish.ts")).publish,
  },
  share: {
    summary: "Share a file or folder by link, without an account",
    load: async () => (await import("./commands/share.ts")).share,
  },
  push: {
    summary: "Add a version to an existing skill, without questions",
    load: async () => (await import("./commands/push.ts")).push,
  },
  restore: {
    summary: "Install into a project exactly what its svc.lock says",
    load: async () => (await import("./commands/restore.ts")).restore,
  },
  verify: {
    summary: "List what is not as it was installed",
    load: async () => (await import("./commands/verify.ts")).verify,
  },
  lint: {
    summary: "Check skills before they are published",
    load: async () => (await import("./commands/lint.ts")).lint,
  },
  folders: {
    summary: "List and create the folders of an organization",
    default: "list",
    commands: {
      list: {
        summary: "List the folders that you may see",
        load: async () => (await import("./commands/folders.ts")).foldersList,
      },
      create: {
        summary: "Create a folder and the missing ones around it",
        load: async () => (await import("./commands/folders.ts")).foldersCreate,
      },
    },
  },
  move: {
    summary: "Move a skill to another folder",
    load: async () => (await import("./commands/move.ts")).move,
  },
  profile: {
    summary: "Keep several logins, each with its own installed skills",
    commands: {
      list: {
        summary: "List the profiles",
        load: async () => (await import("./commands/profile.ts")).profileList,
      },
      create: {
        summary: "Create a profile",
        load: async () => (await import("./commands/profile.ts")).profileCreate,
      },
      switch: {
        summary: "Make a profile the active one",
        load: async () => (await import("./commands/profile.ts")).profileSwitch,
      },
      delete: {
        summary: "Delete a profile, with its login and its installed skills",
        load: async () => (await import("./commands/profile.ts")).profileDelete,
      },
    },
  },
  completion: {
    summary: "Print the completion script of a shell",
    load: async () => (await import("./commands/completion.ts")).completion,
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
