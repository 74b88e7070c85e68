import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import type { InstallMethod, Target } from "../../../contract/vocabulary.ts";
import { type PinnedRef, parsePinnedRef } from "../../arguments/pins.ts";
import { type CommandResult, defineCommand } from "../../command.ts";
import type { Context } from "../../context.ts";
import { invalidArgument } from "../../errors.ts";
import { confirmScan } from "../../install/confirm-scan.ts";
import { fetchAndApply } from "../../install/fetch-and-apply.ts";
import { presentInstall } from "../../install/present-install.ts";
import {
  acceptForPreview,
  acceptPublisher,
  publisherWarnings,
  refuseReplaced,
} from "../../install/publisher.ts";
import { chooseMethod, chooseProject, chooseSkill, chooseTargets } from "../../install/questions.ts";
import { parseAlsoLocations, wantedInstalls } from "../../install/wanted-installs.ts";
import { dryRunFlag, skillArgument, trustFlag } from "../../present.ts";
import { hasManifest, projectFolder, readProject } from "../../project/files.ts";
import { wantedLocations } from "../../project/manifest.ts";
import { refOf } from "../../project/refs.ts";
import { openSession } from "../../state/session.ts";
import { checkWritableState } from "../../state/state.ts";
import { parseTargets, targetFlag } from "../../targets/choose.ts";
import { alsoLocations } from "../../targets/locate.ts";
import { requireInteraction } from "../../terminal/prompts.ts";

export const install = defineCommand({
  positionals: {
    ref: { description: `${skillArgument.description}, maybe with a pin: name@^1.2` },
  },
  flags: {
    target: targetFlag,
    global: { short: "g", value: "none", description: "For you, in every project" },
    project: {
      short: "p",
      value: "optional",
      hint: "dir",
      completes: "folder",
      description: "For one project (default: this folder)",
    },
    shared: {
      value: "none",
      description: "Put a skill once into .agents/skills for all tools that read it",
    },
    "no-shared": { value: "none", description: "Move it back into each tool's own folder" },
    also: {
      value: "required",
      multiple: true,
      hint: "locations",
      description: "Further locations: cline-rules, cline-skills, copilot-cli, copilot-instructions, devin",
    },
    symlink: { value: "none", description: "Link to the local cache where the tool follows links" },
    copy: { value: "none", description: "Copy instead of linking" },
    force: { value: "none", description: "Overwrite installed copies that were edited" },
    trust: trustFlag,
    save: { value: "none", description: "Record it in the project's svc.json and svc.lock, new ones too" },
    "no-save": { value: "none", description: "Don't change the project's svc.json and svc.lock" },
    "dry-run": dryRunFlag,
  },
  exclusive: [
    ["global", "project"],
    ["shared", "no-shared"],
    ["symlink", "copy"],
    ["save", "no-save"],
    ["save", "global"],
  ],
  examples: [
    "svc install code-review -t claude,cursor -g",
    "svc install acme/code-review@^1.2 -t codex -p",
    "svc install code-review@2.0.0-beta.1 -t claude -p ../app --copy",
    "svc install acme/code-review@^1.2 -t claude,cursor -p --save",
    "svc install acme/code-review -t codex,cursor,copilot -p --shared",
    "svc install acme/code-review -t claude -p --trust acme -o json",
  ],
  async run(context, args): Promise<CommandResult> {
    const platforms = parseTargets(args.target);
    const givenAlso = parseAlsoLocations(args.also);
    const pinned = requestedRef(context, args);
    requireLocations(context, args, platforms);
    const folder = await givenFolder(context, args.project);

    await checkWritableState(context);
    const session = await openSession(context);
    const { ref, range } = pinned ?? (await chooseSkill(session.client));
    const found = await session.client.resolve(ref, range);
    const resolved = args["dry-run"]
      ? acceptForPreview(found)
      : await acceptPublisher(context, session, found, { trust: args.trust, ref });
    const scan = await confirmScan(context, session, resolved, args["dry-run"]);
    const targets = platforms.length > 0 ? platforms : await chooseTargets(context, folder, args.global);
    const isInProject = args.project !== undefined || (!args.global && (await chooseProject()));
    const projectDir = isInProject ? folder : undefined;
    const recordedIn = await folderOfRecord(args, projectDir);
    // An unusable file is reported before anything is installed.
    const project = recordedIn === undefined ? undefined : await readProject(recordedIn);
    refuseReplaced(project?.lock, resolved.skill);
    const recorded = wantedLocations(
      project?.manifest,
      project && refOf(project, resolved.skill, resolved.own),
    );
    const isOpen = platforms.length === 0 && !args.global && args.project === undefined;
    const method = await requestedMethod(args, isOpen);
    const also = givenAlso.length > 0 ? givenAlso : alsoOf(recorded.also, targets);
    const wanted = await wantedInstalls(context, { targets, also }, projectDir, method);
    const shared = args.shared ? true : args["no-shared"] ? false : recorded.shared;

    const dryRun = args["dry-run"];
    const request = { range, force: args.force, projectDir, recordedIn, shared, targets, also, dryRun };
    const { fetched, applied } = await fetchAndApply(context, session, resolved, wanted, request);
    if (recordedIn !== undefined && args.save && !dryRun)
      context.output.note(`Recorded in svc.json and svc.lock of ${recordedIn}`);
    const { missing, ...result } = await presentInstall(context, fetched, applied, {
      wanted,
      range,
      dryRun,
      advice: publisherWarnings(resolved),
      scan,
      profile: session.config.profiles[session.profile],
      service: session.client.options,
    });
    if (missing.length === 0) return result;
    const { offerMissing } = await import("../../mcp/required.ts");
    return offerMissing(context, session.client.options, fetched.skill.slug, result, missing);
  },
});

interface InstallArguments {
  ref: string | undefined;
  global: boolean;
  project: string | true | undefined;
  symlink: boolean;
  copy: boolean;
  save: boolean;
  "no-save": boolean;
}

/** Throws without a reference unless a person can be asked for it. */
function requestedRef(context: Context, { ref, project }: InstallArguments): PinnedRef | undefined {
  if (ref !== undefined) return parsePinnedRef(ref);
  const took = typeof project === "string" ? ` (--project took "${project}" as its folder)` : "";
  requireInteraction(context, "<ref>", `Say which skill to install: svc install <ref>${took}.`);
  return undefined;
}

/** Throws without targets or a scope unless a person can be asked for them. */
function requireLocations(context: Context, args: InstallArguments, platforms: readonly Target[]): void {
  if (platforms.length === 0)
    requireInteraction(context, "--target", "Say which tools to install into with --target.");
  if (!args.global && args.project === undefined)
    requireInteraction(context, "--global", "Say where with --global or --project.");
}

/** The folder of `--project`, which must exist; without the flag, the current folder. */
async function givenFolder(context: Context, project: InstallArguments["project"]): Promise<string> {
  const given = typeof project === "string" ? project : ".";
  const folder = resolve(context.cwd, given);
  return project === undefined ? realpath(folder).catch(() => folder) : projectFolder(folder, given);
}

/** The folder whose svc.json and svc.lock record the install, if any. */
async function folderOfRecord(
  args: InstallArguments,
  projectDir: string | undefined,
): Promise<string | undefined> {
  if (args.save && projectDir === undefined)
    throw invalidArgument("--save", "--save goes with --project: it is the project's files that record.");
  if (projectDir === undefined || args["no-save"]) return undefined;
  return args.save || (await hasManifest(projectDir)) ? projectDir : undefined;
}

/** The recorded further locations of the targets. */
function alsoOf(recorded: readonly string[] = [], targets: readonly Target[]): string[] {
  return recorded.filter((name) => targets.includes(alsoLocations.get(name)!.platform));
}

async function requestedMethod(args: InstallArguments, ask: boolean): Promise<InstallMethod | undefined> {
  if (args.symlink) return "symlink";
  if (args.copy) return "copy";
  return ask ? chooseMethod() : undefined;
}
