import { Link } from "@tanstack/react-router";
import { Signpost } from "lucide-react";
import { useSkill, useSkillAddress } from "../context.ts";

/** The channels of a skill with their versions. */
export function ChannelList() {
  const { org, slug } = useSkillAddress();
  const { channels = [] } = useSkill();
  if (channels.length === 0) return null;
  return (
    <ul className="channels" aria-label="Channels">
      {channels.map(({ name, semver, held }) => (
        <li key={name}>
          <Signpost size={14} aria-hidden />
          <b>{name}</b>
          {semver === null ? (
            <span className="meta">has no version now</span>
          ) : (
            <Link className="mono" to="/$org/$slug" params={{ org, slug }} search={{ version: semver }}>
              {semver}
            </Link>
          )}
          {held && <span className="badge warn">held</span>}
        </li>
      ))}
    </ul>
  );
}
