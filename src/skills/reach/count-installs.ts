/** Distinct members, machines, projects and tools among installs, by groups that overlap. Pure. */
import type { InstalledCounts } from "../../../contract/payloads/skills/reach.ts";
import type { Target } from "../../../contract/vocabulary.ts";
import type { InstallDoc } from "../../../storage/usage/installs.ts";

export type InstallRow = Pick<InstallDoc, "userId" | "machine" | "platform" | "scope" | "range" | "version">;

/** Installs of a skill with numbers in place of texts, which take little memory and are counted fast. */
export interface CompactInstalls {
  size: number;
  members: number;
  machines: number;
  tools: Target[];
  pins: (string | undefined)[];
  member: Uint32Array;
  machine: Uint32Array;
  tool: Uint8Array;
  pin: Uint32Array;
  version: Uint32Array;
  inProject: Uint8Array;
}

export function compactInstalls(rows: readonly InstallRow[]): CompactInstalls {
  const members = new Map<string, number>();
  const machines = new Map<string, number>();
  const tools = new Map<Target, number>();
  const pins = new Map<string | undefined, number>();
  const size = rows.length;
  const compact = {
    size,
    member: new Uint32Array(size),
    machine: new Uint32Array(size),
    tool: new Uint8Array(size),
    pin: new Uint32Array(size),
    version: new Uint32Array(size),
    inProject: new Uint8Array(size),
  };
  for (const [at, { userId, machine, platform, scope, range, version }] of rows.entries()) {
    compact.member[at] = indexIn(members, userId);
    compact.machine[at] = indexIn(machines, `${userId} ${machine}`);
    compact.tool[at] = indexIn(tools, platform);
    compact.pin[at] = indexIn(pins, range);
    compact.version[at] = version;
    compact.inProject[at] = scope === "project" ? 1 : 0;
  }
  return {
    ...compact,
    members: members.size,
    machines: machines.size,
    tools: [...tools.keys()],
    pins: [...pins.keys()],
  };
}

function indexIn<T>(known: Map<T, number>, key: T): number {
  const index = known.get(key);
  if (index !== undefined) return index;
  known.set(key, known.size);
  return known.size - 1;
}

/** Counts the installs of each group, at most 32. `groupsOf`: the groups of an install as bits, by its position. */
export function countGroups(
  installs: CompactInstalls,
  groups: number,
  groupsOf: (at: number) => number,
): InstalledCounts[] {
  const { size, tools, member, machine, tool, inProject } = installs;
  const members = new Uint32Array(installs.members);
  const machines = new Uint32Array(installs.machines);
  const projects = new Uint32Array(installs.machines);
  const places = new Uint32Array(installs.machines * tools.length);
  for (let at = 0; at < size; at++) {
    const bits = groupsOf(at);
    const on = machine[at]!;
    members[member[at]!]! |= bits;
    machines[on]! |= bits;
    if (inProject[at]) projects[on]! |= bits;
    places[on * tools.length + tool[at]!]! |= bits;
  }
  const [byMember, byMachine, byProject] = [members, machines, projects].map((list) =>
    countBits(list, groups),
  );
  const byPlace = countBits(places, groups, tools.length);
  return Array.from({ length: groups }, (_, group) => ({
    members: byMember![group]!,
    machines: byMachine![group]!,
    projects: byProject![group]!,
    targets: tools
      .map((target, index) => ({
        target,
        machines: byPlace[index * groups + group]!,
      }))
      .filter(({ machines: count }) => count > 0)
      .toSorted((a, b) => b.machines - a.machines || (a.target < b.target ? -1 : 1)),
  }));
}

/** How often each bit is set; separately for each of `columns` that alternate in the list. */
function countBits(list: Uint32Array, bits: number, columns = 1): number[] {
  const counts = Array.from({ length: bits * columns }, () => 0);
  for (let at = 0; at < list.length; at++) {
    const value = list[at]!;
    if (value === 0) continue;
    const offset = (at % columns) * bits;
    for (let bit = 0; bit < bits; bit++) if (value & (1 << bit)) counts[offset + bit]!++;
  }
  return counts;
}
