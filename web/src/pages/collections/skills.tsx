import { ActionIcon } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { EyeOff, X } from "lucide-react";
import { useRef, useState } from "react";
import { countText } from "../../../../contract/text/count-text.ts";
import { ApiError } from "../../api/client.ts";
import {
  changeCollection,
  collectionQuery,
  noteCollection,
  type CollectionDetail,
  type CollectionSkill,
} from "../../api/organization/collections.ts";
import { DeprecatedBadge } from "../../parts/deprecated-badge.tsx";
import { SortableList } from "../../parts/lists/sortable-list.tsx";
import { Problem } from "../../parts/states/problem.tsx";
import { visibleText } from "../../parts/text/visible-text.ts";
import { AddSkill } from "./add-skill.tsx";

interface Props {
  org: string;
  collection: CollectionDetail;
}

/** The skills of a collection. Every change is saved at once, one after another. */
export function Skills({ org, collection }: Props) {
  const { canUpdate } = collection;
  const { error, shown: skills, change, retry } = useSkillChanges(org, collection);
  return (
    <section className="stack gap-3" aria-labelledby="skills-heading">
      <h2 id="skills-heading">{countText(skills.length, "skill")}</h2>
      {canUpdate && <Hidden skills={skills} />}
      {canUpdate && <AddSkill org={org} skills={skills} onAdd={(skill) => change([...skills, skill])} />}
      <Problem error={error} retry={retry} />
      {skills.length === 0 ? (
        <p className="sub">
          {canUpdate
            ? "There are no skills in it yet. Add the first one by its name or by what it does."
            : "There are no skills in it that you may read."}
        </p>
      ) : (
        <SortableList
          label="Skills"
          items={skills}
          keyOf={({ id }) => id}
          nameOf={({ slug }) => slug}
          onMove={canUpdate ? change : undefined}
        >
          {(skill) => (
            <SkillRow
              org={org}
              skill={skill}
              onRemove={canUpdate ? () => change(skills.filter(({ id }) => id !== skill.id)) : undefined}
            />
          )}
        </SortableList>
      )}
    </section>
  );
}

/**
 * Changes of the skills, which are shown before they are saved. Reads of the collection in the meantime change neither
 * what is shown nor the revision that a change is based on.
 */
function useSkillChanges(org: string, { slug, skills: stored, revision }: CollectionDetail) {
  const client = useQueryClient();
  const { queryKey } = collectionQuery(org, slug);
  const [unsaved, setUnsaved] = useState<CollectionSkill[]>();
  /** The latest change, and the revision that the service has returned last. */
  const latest = useRef<{ skills?: CollectionSkill[]; revision: number }>({ revision });
  const saving = useMutation({
    scope: { id: `collection ${org} ${slug}` },
    mutationFn: (skills: CollectionSkill[]) =>
      changeCollection(org, slug, {
        skills: skills.map(({ id }) => id),
        revision: latest.current.revision,
      }),
    async onSuccess(saved, skills) {
      latest.current.revision = saved.revision;
      if (latest.current.skills !== skills) return;
      // A read that began before the change was saved would bring the previous list back.
      await client.cancelQueries({ queryKey });
      await noteCollection(client, org, saved);
      show(undefined);
    },
    async onError() {
      await client.invalidateQueries({ queryKey });
      show(undefined);
    },
  });
  const show = (skills: CollectionSkill[] | undefined) => {
    latest.current.skills = skills;
    setUnsaved(skills);
  };
  const change = (skills: CollectionSkill[]) => {
    if (latest.current.skills === undefined) latest.current.revision = revision;
    show(skills);
    saving.mutate(skills);
  };
  const { error, variables } = saving;
  const isConflict = error instanceof ApiError && error.code === "conflict";
  return {
    error,
    shown: unsaved ?? stored,
    change,
    // After a conflict, the list is the one of the other change, and the user's own has to be made again.
    retry: variables && !isConflict ? () => change(variables) : undefined,
  };
}

/** Says which skills some readers of the collection don't see in it. */
function Hidden({ skills }: { skills: readonly CollectionSkill[] }) {
  const hidden = skills.filter(({ hiddenFrom }) => hiddenFrom !== undefined);
  if (hidden.length === 0) return null;
  return (
    <p className="note">
      <EyeOff className="icon" aria-hidden="true" />
      <span>
        {countText(hidden.length, "skill is", "skills are")} left out for readers who may not read{" "}
        {hidden.length === 1 ? "it" : "them"}. A collection gives no one access to a skill.
      </span>
    </p>
  );
}

const hiddenFromText = {
  members: "hidden from some members",
  visitors: "hidden from visitors",
} as const;

interface RowProps {
  org: string;
  skill: CollectionSkill;
  onRemove?: () => void;
}

function SkillRow({ org, skill, onRemove }: RowProps) {
  const { slug, deprecated, description, hiddenFrom, type } = skill;
  return (
    <div className="collection-row">
      <Link className="clip" to="/$org/$slug" params={{ org, slug }}>
        <b>{slug}</b>
      </Link>
      {type === "rule" && <span className="badge">rule</span>}
      <DeprecatedBadge message={deprecated} />
      {hiddenFrom && (
        <span className="badge warn">
          <EyeOff size={12} aria-hidden="true" /> {hiddenFromText[hiddenFrom]}
        </span>
      )}
      {onRemove && (
        <ActionIcon
          className="remove"
          variant="subtle"
          color="gray"
          aria-label={`Remove ${slug} from the collection`}
          onClick={onRemove}
        >
          <X size={16} />
        </ActionIcon>
      )}
      {description !== "" && <p className="sub clip">{visibleText(description)}</p>}
    </div>
  );
}
