import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { FileText } from "lucide-react";
import { useSyncExternalStore } from "react";
import type { Folder } from "../../../api/folders.ts";
import { skillQuery } from "../../../api/skills/skills.ts";
import { iconProps } from "../../../parts/icon.ts";
import type { Pin } from "../../../parts/page/sidebar-state.ts";
import { onRecentChange, readRecent, readRecentText, type RecentPage } from "../../../parts/recent.ts";
import { visibleText } from "../../../parts/text/visible-text.ts";
import { FolderIcon } from "./folder-icon.tsx";
import { PinButton } from "./pin-button.tsx";

const shownRecent = 4;
const freshMs = 10 * 60_000;

interface Entry {
  pin: Pin;
  name: string;
  href: string;
  folder?: Folder;
}

interface PinnedProps {
  pins: Pin[];
  folders: ReadonlyMap<string, Folder>;
  library: string;
  onPin: (pin: Pin) => void;
}

/** Pinned folders and skills in their order, without those that are gone or not readable. */
export function Pinned({ pins, folders, library, onPin }: PinnedProps) {
  const skillIds = pins.filter(({ kind }) => kind === "skill").map(({ id }) => id);
  const found = useQueries({
    queries: skillIds.map((id) => ({ ...skillQuery(id), staleTime: freshMs, retry: false })),
  });
  const entries = pins.flatMap((pin): Entry[] => {
    if (pin.kind === "folder") {
      const folder = folders.get(pin.id);
      return folder ? [{ pin, folder, name: folder.name, href: `${library}/${folder.path}` }] : [];
    }
    const skill = found[skillIds.indexOf(pin.id)]?.data;
    return skill ? [{ pin, name: skill.slug, href: `/${skill.tenantSlug}/${skill.slug}` }] : [];
  });
  if (entries.length === 0) return null;
  return (
    <>
      <div className="nav-heading">Pinned</div>
      {entries.map(({ pin, name, href, folder }) => (
        <div key={`${pin.kind} ${pin.id}`} className="pinnable">
          <Link to={href} activeOptions={{ exact: folder !== undefined, includeSearch: false }} title={name}>
            {folder ? <FolderIcon folder={folder} /> : <FileText {...iconProps} />}
            <span className="clip grow">{name}</span>
          </Link>
          <PinButton name={name} isPinned onClick={() => onPin(pin)} />
        </div>
      ))}
    </>
  );
}

/** Slugs of the skills of an organization among the pages that were opened lately. */
function recentSlugs(pages: RecentPage[], org: string): string[] {
  const slugs = pages.flatMap(({ path }) => {
    const [, owner, slug = ""] = path.split("/");
    return owner === org && slug !== "-" && slug !== "" ? [decodeURIComponent(slug)] : [];
  });
  return [...new Set(slugs)].slice(0, shownRecent);
}

/** Skills whose pages were opened lately in this tab. */
export function Recent({ org }: { org: string }) {
  useSyncExternalStore(onRecentChange, readRecentText);
  const slugs = recentSlugs(readRecent(), org);
  if (slugs.length === 0) return null;
  return (
    <>
      <div className="nav-heading">Recent</div>
      {slugs.map((slug) => (
        <Link key={slug} to={["", org, slug].join("/")} activeOptions={{ includeSearch: false }} title={slug}>
          <FileText {...iconProps} />
          <span className="clip">{visibleText(slug)}</span>
        </Link>
      ))}
    </>
  );
}
