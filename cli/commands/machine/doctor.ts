import { defineCommand } from "../../command.ts";
import type { Context } from "../../context.ts";
import { checkInstalls, checkProject } from "../../doctor/check-installs.ts";
import { checkLoading } from "../../doctor/check-loading.ts";
import { checkLogin } from "../../doctor/check-login.ts";
import { checkNode } from "../../doctor/check-node.ts";
import { checkRemovals } from "../../doctor/check-removals.ts";
import { checkRequired } from "../../doctor/check-required.ts";
import { checkService, unreachable } from "../../doctor/check-service.ts";
import { checkConfig, checkStateFolder } from "../../doctor/check-state.ts";
import { checkTools } from "../../doctor/check-tools.ts";
import { type Check, checked, failed, ok } from "../../doctor/check.ts";
import { messageOf } from "../../errors.ts";
import { formatVersion } from "../../state/config-shape.ts";
import { type Config, defaultProfile } from "../../state/config.ts";
import { profileName } from "../../state/profiles.ts";
import { serviceAddress } from "../../state/session.ts";
import { plainLine } from "../../terminal/table.ts";

export const doctor = defineCommand({
  positionals: {},
  flags: {},
  examples: ["svc doctor", "svc doctor -o json"],
  async run(context) {
    const checks = await context.output.waiting("Checking", () => runChecks(context));
    const count = (status: Check["status"]) => checks.filter((check) => check.status === status).length;
    const summary = { ok: count("ok"), warnings: count("warning"), failed: count("failed") };
    return {
      data: { checks, summary },
      text: describe(context, checks, summary),
      partial: summary.failed > 0,
    };
  },
});

/** Each check is independent of the failure of others. Nothing is changed, also not a damaged configuration. */
async function runChecks(context: Context): Promise<Check[]> {
  const { check: configCheck, config } = await checkConfig(context);
  const { name, check: profileCheck } = selectProfile(context, config);
  const { check: projectCheck, project } = await checkProject(context);
  const repair = "Run svc verify -g to see where it fails.";
  return [
    checkNode(),
    await checked("state-folder", "Make the home folder writable for you, or set HOME to another one.", () =>
      checkStateFolder(context),
    ),
    configCheck,
    ...(profileCheck === undefined ? [] : [profileCheck]),
    ...(await checkConnection(context, config ?? withoutConfig, name)),
    ...(projectCheck === undefined ? [] : [projectCheck]),
    ...(config === undefined || name === undefined
      ? []
      : [await checked("installs", repair, () => checkInstalls(context, config, name, project))]),
    ...(config === undefined || name === undefined
      ? []
      : await checkLoading(context, config.profiles[name]).catch((error: unknown) => [
          failed("loaded-twice", messageOf(error), repair),
        ])),
    ...(await checkTools(context).catch((error: unknown) => [
      failed("tools", messageOf(error), "Select tools with svc install --target."),
    ])),
  ];
}

/** Stands for a configuration that can't be used. */
const withoutConfig: Config = { version: formatVersion, activeProfile: defaultProfile, profiles: {} };

/** `name`: undefined if there is no such profile. */
function selectProfile(
  context: Context,
  config: Config | undefined,
): { name: string | undefined; check: Check | undefined } {
  if (config === undefined) return { name: undefined, check: undefined };
  try {
    const name = profileName(config, context.profileFlag, context.env);
    return { name, check: ok("profile", `The active profile is ${name}.`) };
  } catch (error) {
    const check = failed(
      "profile",
      messageOf(error),
      "Select one with svc profile switch, or unset SVC_PROFILE.",
    );
    return { name: undefined, check };
  }
}

async function checkConnection(
  context: Context,
  config: Config,
  profile: string | undefined,
): Promise<Check[]> {
  const address = { ...context, ...(profile === undefined ? withoutProfile(context) : {}) };
  let service: Awaited<ReturnType<typeof checkService>>;
  let apiUrl: string;
  try {
    apiUrl = serviceAddress(address, profile === undefined ? withoutConfig : config);
  } catch (error) {
    return unreachable(messageOf(error)).checks;
  }
  try {
    service = await checkService(context, apiUrl);
  } catch (error) {
    service = unreachable(messageOf(error));
  }
  const login = await checked("login", "Run svc login, or set SVC_TOKEN.", () =>
    checkLogin(address, { config, profile: profile ?? defaultProfile, apiUrl, isUp: service.isUp }),
  );
  const required =
    login.status === "ok" && profile !== undefined
      ? [await checked("required", "Run svc doctor again.", () => checkRequired(context))]
      : [];
  const withdrawn =
    service.isUp && profile !== undefined && hasInstalls(config, profile)
      ? [await checked("withdrawn", "Run svc doctor again.", () => checkRemovals(context))]
      : [];
  return [...service.checks, login, ...required, ...withdrawn];
}

const hasInstalls = ({ profiles }: Config, profile: string) =>
  Object.keys(profiles[profile]?.installed ?? {}).length > 0;

/** The environment without the selection of a profile that does not exist. */
function withoutProfile({ env }: Context): Pick<Context, "env" | "profileFlag"> {
  return { env: { ...env, SVC_PROFILE: "" }, profileFlag: undefined };
}

const styles = { ok: "green", warning: "yellow", failed: "red" } as const;

function describe(
  { output: { paint } }: Context,
  checks: readonly Check[],
  summary: { ok: number; warnings: number; failed: number },
): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ name, status, message, remedy }) => [
    `${paint(styles[status], status.padEnd(7))}  ${name.padEnd(width)}  ${plainLine(message)}`,
    ...(remedy === undefined ? [] : [`${" ".repeat(width + 11)}${paint("bold", plainLine(remedy))}`]),
  ]);
  const warnings = `${summary.warnings} ${summary.warnings === 1 ? "warning" : "warnings"}`;
  return [...lines, "", `${summary.ok} ok, ${warnings}, ${summary.failed} failed.`].join("\n");
}
