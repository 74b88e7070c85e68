import { countText } from "../../../contract/text/count-text.ts";
import type { Target } from "../../../contract/vocabulary.ts";
import type { Column } from "./lists/data-table.tsx";
import { Person } from "./people/person.tsx";
import { Time } from "./text/time.tsx";
import { toolNames } from "./text/tool-names.ts";

/** Columns that lists of installs share. */
interface Install {
  user: { name: string; username: string };
  platform: Target;
  scope: "global" | "project";
  semver: string;
  updateAvailable: boolean;
  updatedAt: string;
}

export const scopeNames = { global: "everywhere", project: "in a project" } as const;

export const memberColumn: Column<Pick<Install, "user">> = {
  header: "Member",
  isRowHeader: true,
  cell: ({ user }) => <Person person={user} />,
};

export const toolColumn: Column<Pick<Install, "platform" | "scope">> = {
  header: "Tool",
  cell: ({ platform, scope }) => (
    <>
      {toolNames[platform]} <span className="dim">{scopeNames[scope]}</span>
    </>
  ),
};

/** The installed version; with `current`, the number of versions that it is behind. */
export const versionColumn = <T extends Pick<Install, "semver" | "updateAvailable"> & { version?: number }>(
  current?: number,
): Column<T> => ({
  header: "Version",
  className: "nowrap",
  cell: ({ semver, updateAvailable, version = current }) => (
    <>
      <span className="mono">{semver}</span>{" "}
      <Outdated
        isOutdated={updateAvailable}
        behind={current === undefined || version === undefined ? 0 : current - version}
      />
    </>
  ),
});

export const Outdated = ({ isOutdated, behind = 0 }: { isOutdated: boolean; behind?: number }) =>
  isOutdated && (
    <span className="badge warn">{behind > 0 ? `${countText(behind, "version")} behind` : "outdated"}</span>
  );

export const updatedColumn: Column<Pick<Install, "updatedAt">> = {
  header: "Updated",
  className: "nowrap",
  cell: ({ updatedAt }) => <Time value={updatedAt} />,
};
