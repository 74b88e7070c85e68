import semver from "semver";
import { type CommandResult, defineCommand } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError } from "../../errors.ts";
import { uninterrupted } from "../../interrupt.ts";
import { type Session, openSession } from "../../state/session.ts";
import { withTemporaryFolder } from "../../state/state.ts";
import { type Installation, findInstallation } from "../../upgrade/find-installation.ts";
import { type OfferedPackage, downloadPackage, installPackage } from "../../upgrade/install-package.ts";
import { version } from "../../version.ts";

export const upgrade = defineCommand({
  positionals: {},
  flags: {
    check: { value: "none", description: "Only report whether there is a newer version" },
    "allow-downgrade": { value: "none", description: "Install an older version, too" },
  },
  exclusive: [["check", "allow-downgrade"]],
  examples: ["svc upgrade", "svc upgrade --check -o json"],
  async run(context, args) {
    // Without the login: the package is for everyone.
    const session = await openSession(context, { token: { use: undefined } });
    const offered = await findOffered(session);
    const installation = await findInstallation(process.argv[1], context.platform);
    const order = semver.compare(offered.version, version);
    const result = (outcome: string, text: string): CommandResult => ({
      data: {
        outcome,
        fromVersion: version,
        toVersion: offered.version,
        service: session.apiUrl,
        installation: installation.kind,
        path: installation.kind === "npm" ? installation.prefix : undefined,
      },
      text,
    });
    const { apiUrl } = session;
    if (order === 0) return result("upToDate", `svc ${version} is the version of ${apiUrl}.`);
    if (order < 0 && !args["allow-downgrade"])
      return result(
        "ahead",
        `svc ${version} is newer than ${offered.version}, the version of ${apiUrl}. Nothing was installed. ` +
          "svc upgrade --allow-downgrade installs the older one.",
      );
    if (args.check)
      return result(
        "available",
        `svc ${offered.version} is available from ${apiUrl}; this is ${version}. Install it with svc upgrade.`,
      );
    await install(context, session, installation, offered);
    const done = order > 0 ? "upgraded" : "downgraded";
    return result(
      done,
      `${order > 0 ? "Upgraded" : "Downgraded"} svc from ${version} to ${offered.version}, from ${apiUrl}.`,
    );
  },
});

type Offered = { version: string; sha256: string | undefined };

async function findOffered({ client, apiUrl }: Session): Promise<Offered> {
  const offered = await client.offeredClient();
  const sha256: unknown = offered.package?.sha256;
  const isChecksum = typeof sha256 === "string" && /^[0-9a-f]{64}$/.test(sha256);
  if (semver.valid(offered.version) !== offered.version || (sha256 !== undefined && !isChecksum))
    throw new CliError("E_NETWORK", `${apiUrl} names no usable version of svc: check SVC_API_URL.`);
  return { version: offered.version, sha256: isChecksum ? sha256 : undefined };
}

async function install(
  context: Context,
  { client, apiUrl }: Session,
  installation: Installation,
  { version: wanted, sha256 }: Offered,
): Promise<void> {
  if (sha256 === undefined)
    throw new CliError(
      "E_NOT_FOUND",
      `${apiUrl} does not offer svc ${wanted} for download. Ask its operator to build the package: npm run build.`,
      { kind: "path", ref: `/cli/svc-${wanted}.tgz` },
    );
  if (installation.kind !== "npm") throw notInstalledByNpm(context, installation.kind, apiUrl, wanted);
  const offered: OfferedPackage = { version: wanted, sha256 };
  await withTemporaryFolder(context, async (folder) => {
    const file = await downloadPackage(client, offered, folder);
    // Replaces the files of this program: everything that runs afterwards is loaded already.
    await context.output.waiting(`Installing svc ${wanted}`, () =>
      uninterrupted(() => installPackage(context, installation, file, wanted)),
    );
  });
}

function notInstalledByNpm(
  { platform }: Context,
  kind: Exclude<Installation["kind"], "npm">,
  apiUrl: string,
  wanted: string,
): CliError {
  const address = `${apiUrl}/cli/svc-${wanted}.tgz`;
  const installer =
    platform === "win32" ? `npm install --global ${address}` : `curl -fsSL ${apiUrl}/cli/install.sh | sh`;
  const remedies = {
    npx: `This svc runs by npx. Run the new version with npx ${address}, or install it: ${installer}`,
    checkout: "This svc is that of a checkout. Update the checkout instead.",
    other:
      "This svc was not installed by npm's global install or by the installer. " +
      `Install the new version with: ${installer}`,
  };
  return new CliError("E_INTERNAL", remedies[kind], { installation: kind });
}
