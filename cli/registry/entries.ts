/** Kinds of entries of the registry of commands. */
import type { Command } from "../command.ts";

/** Groups of commands in help, in this order. */
export const topics = [
  "Use skills",
  "Publish skills",
  "Keep a project's skills",
  "Run an organization",
  "You and this machine",
] as const;
export type Topic = (typeof topics)[number];

export interface CommandEntry {
  summary: string;
  load(): Promise<Command>;
}

/** Commands that share a first word. */
export interface CommandGroup {
  summary: string;
  commands: Readonly<Record<string, CommandEntry>>;
  /** The command that runs for the group's name alone. */
  default?: string;
}

export type Commands = Readonly<Record<string, (CommandEntry | CommandGroup) & { topic: Topic }>>;
