import { Button, Menu } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Check, ChevronDown } from "lucide-react";
import { useState } from "react";
import { versionsQuery, type Skill } from "../../api/skills/skills.ts";
import { Time } from "../../parts/text/time.tsx";
import { useSkillAddress } from "./context.ts";

/** Versions that the menu offers: further ones are in the tab of versions. */
const offered = 20;

/** Switches all tabs of the skill to another version. */
export function VersionMenu({ skill }: { skill: Skill }) {
  const { org, slug, ref, version } = useSkillAddress();
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const { data } = useInfiniteQuery({ ...versionsQuery(ref), enabled: isOpen });
  const versions = data?.pages[0]?.data ?? [];
  const shown = version ?? skill.currentSemver;
  const choose = (semver: string | undefined) =>
    void navigate({
      to: ".",
      search: (old) => ({ ...old, version: semver }),
    });
  return (
    <Menu opened={isOpen} onChange={setOpen} position="bottom-start" width={240}>
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          className="mono"
          fw={400}
          rightSection={<ChevronDown size={14} />}
          aria-label={`Version ${shown}, choose another`}
        >
          {shown}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={360} style={{ overflowY: "auto" }}>
        {versions.slice(0, offered).map((one) => (
          <Menu.Item
            key={one.id}
            leftSection={one.semver === shown ? <Check size={14} /> : <span className="icon-space" />}
            rightSection={<Time value={one.createdAt} className="meta" />}
            onClick={() => choose(one.current ? undefined : one.semver)}
          >
            <span className="mono">{one.semver}</span>
            {one.current && <span className="meta"> current</span>}
            {one.prerelease && <span className="meta"> prerelease</span>}
            {one.state !== "published" && <span className="meta"> {one.state}</span>}
            {one.verdict && <span className="meta"> {one.verdict}</span>}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => void navigate({ href: `/${org}/${slug}/versions` })}>
          All versions
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
