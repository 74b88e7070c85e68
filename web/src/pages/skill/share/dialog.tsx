import { Button, Modal } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Globe, Link2, Lock, ShieldAlert, type LucideIcon } from "lucide-react";
import { useState } from "react";
import { exposureQuery, updateSkill } from "../../../api/skills/skill-settings.ts";
import type { Skill } from "../../../api/skills/skills.ts";
import { Command } from "../../../parts/copy/command.tsx";
import { commandLine, installLine } from "../../../parts/copy/shell.ts";
import { Problem } from "../../../parts/states/problem.tsx";
import { useRights, useSkillAddress } from "../context.ts";
import { ExposureNote } from "../settings/exposure.tsx";
import { useChanged } from "../use-changed.ts";

interface Props {
  skill: Skill;
  onClose: () => void;
}

/** The links of a skill, whom they work for, and how to begin or end sharing it with everyone who has one. */
export function ShareDialog({ skill, onClose }: Props) {
  const { canUpdate } = useRights();
  const audience = audienceOf(skill);
  const { icon: Icon, text } = audiences[audience];
  const page = `${location.origin}/${skill.tenantSlug}/${skill.slug}`;
  const share = `${location.origin}/s/${skill.publicId}`;
  const isOpen = audience === "unlisted" || audience === "public";
  return (
    <Modal opened onClose={onClose} title={`Share ${skill.slug}`} size="lg">
      <div className="stack gap-4">
        <p className="row">
          <Icon size={16} aria-hidden="true" />
          <span>{text}</span>
        </p>
        {isOpen && (
          <Line label="Link for everyone, without an account" text={share} copy="Copy share link" prompt="" />
        )}
        <Line
          label={audience === "public" ? "Page of the skill" : "Page for members who can read it"}
          text={page}
          copy="Copy link"
          prompt=""
        />
        <Line
          label="Command that installs it"
          text={isOpen ? commandLine("svc", "install", share) : installLine(skill.tenantSlug, skill.slug)}
          copy="Copy command"
        />
        {canUpdate && audience === "public" && (
          <Badge name={`${skill.tenantSlug}/${skill.slug}`} page={page} />
        )}
        {canUpdate && audience === "private" && <Change skill={skill} to="unlisted" />}
        {canUpdate && isOpen && <Change skill={skill} to="private" />}
      </div>
    </Modal>
  );
}

type Audience = "blocked" | "restricted" | Skill["visibility"];

function audienceOf({ takedown, restricted, visibility }: Skill): Audience {
  if (takedown) return "blocked";
  return restricted ? "restricted" : visibility;
}

const audiences: Record<Audience, { icon: LucideIcon; text: string }> = {
  blocked: {
    icon: ShieldAlert,
    text: "An administrator blocked this skill: only members can open its page.",
  },
  restricted: {
    icon: Lock,
    text: "Its folder is restricted: links work only for people with a grant. To share it, move it to another folder.",
  },
  private: { icon: Lock, text: "Only members of the organization can open its page." },
  unlisted: { icon: Link2, text: "Everyone who has the link can read and install it. No list shows it." },
  public: { icon: Globe, text: "Anyone can read and install it, and find it in the catalog." },
};

function Line({ label, text, copy, prompt }: { label: string; text: string; copy: string; prompt?: "" }) {
  return (
    <div className="stack">
      <span className="label">{label}</span>
      <Command text={text} label={copy} prompt={prompt} />
    </div>
  );
}

/** The picture for readmes, which shows the current version. */
function Badge({ name, page }: { name: string; page: string }) {
  const address = `${page}/badge.svg`;
  return (
    <div className="stack">
      <span className="label">Badge for a readme</span>
      <img className="readme-badge" src={address} alt={`Badge of ${name}`} height={20} />
      <Command text={`[![${name}](${address})](${page})`} label="Copy Markdown" prompt="" />
    </div>
  );
}

const actions = {
  unlisted: { ask: "Create a share link", confirm: "Share with everyone who has the link" },
  private: { ask: "End sharing", confirm: "Make it private" },
} as const;

/** Begins or ends sharing, after its effect was shown. */
function Change({ skill, to }: { skill: Skill; to: keyof typeof actions }) {
  const { ref } = useSkillAddress();
  const changed = useChanged(ref);
  const [isAsking, setAsking] = useState(false);
  const effect = useQuery({ ...exposureQuery(ref, to), enabled: isAsking });
  const save = useMutation({
    mutationFn: () => updateSkill(ref, { visibility: to }),
    onSuccess: async () => {
      setAsking(false);
      await changed();
    },
  });
  const { ask, confirm } = actions[to];
  if (!isAsking) {
    return (
      <div>
        <Button variant="default" onClick={() => setAsking(true)}>
          {ask}
        </Button>
      </div>
    );
  }
  return (
    <div className="stack gap-3">
      {effect.data && <ExposureNote effect={effect.data} />}
      {to === "private" && skill.visibility === "public" && (
        <p className="sub">It also leaves the catalog.</p>
      )}
      <Problem error={effect.error ?? save.error} />
      <div className="row wrap end">
        <Button variant="default" onClick={() => setAsking(false)}>
          Cancel
        </Button>
        <Button
          color={to === "private" ? "danger" : "ink"}
          disabled={!effect.data}
          loading={save.isPending}
          onClick={() => save.mutate()}
        >
          {confirm}
        </Button>
      </div>
    </div>
  );
}
