import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { OwnInstall } from "../../api/account.ts";
import { Time } from "../../parts/time.tsx";

/** Rows that are drawn at first, and with each request for more. */
const step = 100;

/** Installs of one machine. */
export function InstallTable({ machine, installs }: { machine: string; installs: OwnInstall[] }) {
  const [shown, setShown] = useState(step);
  return (
    <>
      <div className="scroll">
        <table className="tbl">
          <caption className="sr">Installs on {machine}</caption>
          <thead>
            <tr>
              <th scope="col">Skill</th>
              <th scope="col">Version</th>
              <th scope="col" className="hide-s">
                Tool
              </th>
              <th scope="col" className="hide-s">
                Updated
              </th>
            </tr>
          </thead>
          <tbody>
            {installs.slice(0, shown).map((install) => (
              <InstallRow key={install.id} install={install} />
            ))}
          </tbody>
        </table>
      </div>
      {installs.length > shown && (
        <footer>
          <Button size="xs" variant="default" onClick={() => setShown(shown + step)}>
            Show {Math.min(step, installs.length - shown)} more
          </Button>
        </footer>
      )}
    </>
  );
}

function InstallRow({ install }: { install: OwnInstall }) {
  const { skill, semver, platform, scope, updateAvailable, updatedAt } = install;
  const address: string = `/${skill.tenantSlug}/${skill.slug}`;
  return (
    <tr>
      <th scope="row">
        <Link to={address}>{`${skill.tenantSlug}/${skill.slug}`}</Link>
      </th>
      <td className="nowrap">
        <span className="mono">{semver}</span>{" "}
        {updateAvailable && <span className="badge warn">outdated</span>}
      </td>
      <td className="hide-s">
        {platform} <span className="dim">{scope === "global" ? "for you" : "in a project"}</span>
      </td>
      <td className="hide-s">
        <Time value={updatedAt} />
      </td>
    </tr>
  );
}
