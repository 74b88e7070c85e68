import { realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { InstallMethod, Target } from "../../contract/vocabulary.ts";
import type { Client } from "../api/client.ts";
import { type CommandResult, defineCommand } from "../command.ts";
import type { Context } from "../context.ts";
import { CliError, interactionRequired, invalidArgument } from "../errors.ts";
import { type Applied, applyVersion, reportedLocations } from "../install/apply.ts";
import { isThere } from "../install/digest.ts";
import { type FetchedVersion, fetchVersion } from "../install/fetch.ts";
import type { WantedInstall } from "../install/placement.ts";
import { acceptPublisher, qualifiedName, refuseReplaced } from "../install/publisher.ts";
import { presentRecord } from "../install/record.ts";
import { reportingMachine, reportInstalls } from "../install/report.ts";
import { type PinnedRef, parsePinnedRef, unpinned } from "../pins.ts";
import { hasManifest, projectFolder, readProject } from "../project/files.ts";
import { recordInstall } from "../project/record.ts";
import { askFromList, askOne, askSeveral, requireInteraction } from "../prompts.ts";
import { openSession } from "../state/session.ts";
import { changeConfig, withTemporaryFolder } from "../state/state.ts";
import { parseTargets, targetFlag } from "../targets/choose.ts";
import { trustFlag } from "./present.ts";
import { isInstalled, isUsedIn, machineOf } from "../targets/detect.ts";
import { targetDefinitions } from "../targets/index.ts";

export const install = defineCommand({
  name: "install",
  summary: "Install a skill into your AI tools",
  positionals: {
    ref: { description: "Slug, org/slug, public id or share URL, maybe with a pin: name@^1.2" },
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
    symlink: { value: "none", description: "Link to the local cache where the tool follows links" },
    copy: { value: "none", description: "Copy instead of linking" },
    force: { value: "none", description: "Overwrite installed copies that were edited" },
    trust: trustFlag,
    save: { value: "none", description: "Record it in the project's svc.json and svc.lock, new ones too" },
    "no-save": { value: "none", description: "Don't change the project's svc.json and svc.lock" },
  },
  exclusive: [
    ["global", "project"],
    ["symlink", "copy"],
    ["save", "no-save"],
    ["save", "global"],
  ],
  examples: [
    "svc install code-review -t claude,cursor -g",
    "svc install acme/code-review@^1.2 -t codex -p",
    "svc install code-review@2.0.0-beta.1 -t claude -p ../app --copy",
    "svc install acme/code-review@^1.2 -t claude,cursor -p --save",
    "svc install acme/code-review -t claude -p --trust acme -o json",
  ],
  async run(context, args): Promise<CommandResult> {
    const platforms = parseTargets(args.target);
    if (args.ref === undefined) {
      const took =
        typeof args.project === "string" ? ` (--project took "${args.project}" as its folder)` : "";
      requireInteraction(context, "<ref>", `Say which skill to install: svc install <ref>${took}.`);
    }
    const pinned = args.ref === undefined ? undefined : parsePinnedRef(args.ref);
    if (platforms.length === 0)
      requireInteraction(context, "--target", "Say which tools to install into with --target.");
    if (!args.global && args.project === undefined)
      requireInteraction(context, "--global", "Say where with --global or --project.");
    const givenDir = typeof args.project === "string" ? args.project : ".";
    const givenFolder = resolve(context.cwd, givenDir);
    const project =
      args.project === undefined
        ? await realpath(givenFolder).catch(() => givenFolder)
        : await projectFolder(givenFolder, givenDir);

    const session = await openSession(context);
    const { ref, range } = pinned ?? (await chooseSkill(session.client));
    const found = await session.client.resolve(ref, range);
    const resolved = await acceptPublisher(context, session, found, args.trust);
    const chosen = platforms.length > 0 ? platforms : await chooseTargets(context, project, args.global);
    const projectDir =
      args.project !== undefined || (!args.global && (await chooseProject())) ? project : undefined;
    if (args.save && projectDir === undefined)
      throw invalidArgument("--save", "--save goes with --project: it is the project's files that record.");
    const recordedIn =
      projectDir !== undefined && !args["no-save"] && (args.save || (await hasManifest(projectDir)))
        ? projectDir
        : undefined;
    // An unusable file is reported before anything is installed.
    if (recordedIn !== undefined) refuseReplaced((await readProject(recordedIn)).lock, resolved.skill);
    const isOpen = platforms.length === 0 && !args.global && args.project === undefined;
    const method: InstallMethod | undefined = args.symlink
      ? "symlink"
      : args.copy
        ? "copy"
        : isOpen
          ? await chooseMethod()
          : undefined;
    const wanted = chosen.map((platform): WantedInstall => ({
      platform,
      scope: projectDir === undefined ? "global" : "project",
      ...(projectDir === undefined ? {} : { projectDir }),
      ...(method === undefined ? {} : { method }),
    }));

    let machine: string | undefined;
    const { fetched, applied } = await withTemporaryFolder(context, async (folder) => {
      const version = await fetchVersion(session.client, context.output, resolved, folder);
      const result = await changeConfig(context, async (state) => {
        machine = reportingMachine(state.config, session.client);
        const options = { profile: session.profile, range, force: args.force };
        const made = await applyVersion(context, state, version, wanted, options);
        if (recordedIn !== undefined)
          await recordInstall(recordedIn, version, made, { range, targets: chosen });
        return made;
      });
      return { fetched: version, applied: result };
    });
    await reportInstalls(session.client, machine, reportedLocations(applied, fetched));
    if (recordedIn !== undefined && args.save)
      context.output.note(`Recorded in svc.json and svc.lock of ${recordedIn}`);
    return present(context, fetched, applied, wanted, range);
  },
});

async function present(
  context: Context,
  fetched: FetchedVersion,
  applied: Applied,
  wanted: readonly WantedInstall[],
  range: string,
): Promise<CommandResult> {
  const { skill, version } = fetched;
  const skipped = [...applied.skipped];
  const installed = [];
  const warnings = [...applied.warnings];
  for (const location of applied.locations) {
    const asked = wanted.some(
      (want) =>
        want.platform === location.record.platform &&
        want.scope === location.record.scope &&
        want.projectDir === location.record.projectDir,
    );
    const done = location.outcome === "written" || location.outcome === "unchanged";
    if (asked && done) installed.push(location.record);
    else if (asked)
      skipped.push({ platform: location.record.platform, reason: location.reason ?? location.outcome });
    else if (!done) warnings.push(location.reason ?? location.outcome);
  }
  if (installed.length === 0)
    throw new CliError("E_NO_TARGETS", `${skill.name} was not installed anywhere.`, {
      kind: "skill",
      ref: skill.slug,
      skipped,
    });
  const linked = installed.find((record) => record.method === "symlink" && record.projectDir !== undefined);
  if (linked !== undefined && (await isInWorkTree(linked.projectDir!)))
    warnings.push(`${linked.path} is a link into your home folder: do not commit it, or install with --copy`);
  for (const warning of warnings) context.output.warn(warning);

  const { publicId, slug, tenantSlug, name, type, visibility, currentVersion, currentSemver } = skill;
  const { paint } = context.output;
  return {
    data: {
      skill: { publicId, slug, tenantSlug, name, type, visibility, currentVersion, currentSemver },
      version: version.version,
      semver: version.semver,
      requestedRange: range,
      format: version.format,
      installName: applied.installName,
      installed: installed.map(presentRecord),
      skipped,
      requiredMcpServers: [],
      warnings,
    },
    text: [
      `Installed ${paint("bold", name)} ${version.semver} from ${qualifiedName(skill)}${range === unpinned ? "" : ` (pinned to ${range})`}`,
      ...installed.map(
        (record) => `  ${paint("green", record.platform)}  ${record.path}  (${record.method})`,
      ),
      ...skipped.map((skip) => `  ${paint("yellow", skip.platform)}  skipped: ${skip.reason}`),
    ].join("\n"),
  };
}

async function chooseSkill(client: Client): Promise<PinnedRef> {
  const { items } = await client.skills({ limit: 200 });
  if (items.length === 0)
    throw interactionRequired(
      "<ref>",
      "Your organizations have no skills yet: name a public one, svc install <ref>.",
    );
  const ref = await askFromList(
    "Which skill?",
    items.map((skill) => ({
      value: skill.publicId,
      label: `${skill.tenantSlug}/${skill.slug}`,
      hint: skill.description,
    })),
  );
  return { ref, range: unpinned };
}

/** Preselects the tools of this machine, and those that the project is set up for. */
async function chooseTargets(context: Context, projectDir: string, onlyGlobal: boolean): Promise<Target[]> {
  const machine = machineOf(context);
  const found = await Promise.all(
    targetDefinitions.map(async (definition) => {
      const installed = await isInstalled(definition, machine);
      const used = !onlyGlobal && (await isUsedIn(definition, projectDir));
      return { definition, hint: installed ? "installed" : used ? "used in this project" : undefined };
    }),
  );
  return askSeveral(
    "Into which tools?",
    found.map(({ definition, hint }) => ({
      value: definition.name,
      label: definition.label,
      ...(hint === undefined ? {} : { hint }),
    })),
    found.filter(({ hint }) => hint !== undefined).map(({ definition }) => definition.name),
  );
}

async function chooseProject(): Promise<boolean> {
  return askOne("Where?", [
    { value: false, label: "For me, in every project" },
    { value: true, label: "In this project" },
  ]);
}

async function chooseMethod(): Promise<InstallMethod | undefined> {
  const method = await askOne<InstallMethod | "usual">("How?", [
    { value: "usual", label: "As each tool takes it best" },
    { value: "symlink", label: "Linked to the local cache, where the tool follows links" },
    { value: "copy", label: "Copied" },
  ]);
  return method === "usual" ? undefined : method;
}

async function isInWorkTree(folder: string): Promise<boolean> {
  for (let at = folder; ; at = dirname(at)) {
    if (await isThere(join(at, ".git"))) return true;
    if (dirname(at) === at) return false;
  }
}
