import { Button, Modal, MultiSelect, NumberInput, Select } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { countText } from "../../../../contract/text/count-text.ts";
import { foldersQuery } from "../../api/account/session.ts";
import { teamsQuery } from "../../api/organization/people.ts";
import { removeRule, rulesQuery, setRule, type ReviewRule } from "../../api/organization/reviews.ts";
import { DialogForm } from "../../parts/forms/dialog-form.tsx";
import type { Organization } from "../../parts/page/organization-page.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { Problem } from "../../parts/states/problem.tsx";
import { visibleText } from "../../parts/text/visible-text.ts";

const root = "root";

/** The folders in which new versions wait. The service decides who may change a rule. */
export function Rules({ organization }: { organization: Organization }) {
  const org = organization.slug;
  const rules = useQuery(rulesQuery(org));
  const client = useQueryClient();
  const [edited, setEdited] = useState<ReviewRule | "new">();
  const removal = useMutation({
    mutationFn: (rule: ReviewRule) => removeRule(org, rule.folderId ?? root),
    onSuccess: (list) => client.setQueryData(rulesQuery(org).queryKey, list),
  });
  return (
    <section className="stack gap-3" aria-labelledby="rules-heading">
      <div className="row">
        <h2 id="rules-heading" className="grow">
          Where versions wait
        </h2>
        <Button size="xs" variant="default" onClick={() => setEdited("new")}>
          New rule
        </Button>
      </div>
      <Problem error={removal.error} />
      <Loaded found={rules} rows={2} rowHeight={44}>
        {(list) =>
          list.length === 0 ? (
            <p className="sub">No folder has a rule: new versions are released at once.</p>
          ) : (
            <ul className="panel lines" aria-label="Review rules">
              {list.map((rule) => (
                <li key={rule.path} className="waiting">
                  <div className="clip grow">
                    <b className="mono">{rule.folderId === null ? "All skills" : visibleText(rule.path)}</b>
                    <div className="meta">{describe(rule)}</div>
                  </div>
                  <Button size="xs" variant="default" onClick={() => setEdited(rule)}>
                    Edit
                  </Button>
                  <Button
                    size="xs"
                    variant="subtle"
                    color="red"
                    loading={removal.isPending}
                    aria-label={`Remove the rule of ${rule.path}`}
                    onClick={() => removal.mutate(rule)}
                  >
                    Remove
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {edited && (
        <RuleDialog
          org={org}
          rule={edited === "new" ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
    </section>
  );
}

function describe({ approvals, teams }: ReviewRule): string {
  const who = teams
    ? `of ${teams.map(({ name }) => visibleText(name)).join(", ")}`
    : "of anyone who may review";
  return `${countText(approvals, "approval")} ${who}`;
}

interface DialogProps {
  org: string;
  rule: ReviewRule | undefined;
  onClose: () => void;
}

function RuleDialog({ org, rule, onClose }: DialogProps) {
  const client = useQueryClient();
  const { data: folders = [] } = useQuery(foldersQuery(org));
  const { data: teams = [] } = useQuery(teamsQuery(org));
  const [folder, setFolder] = useState(rule ? (rule.folderId ?? root) : root);
  const [approvals, setApprovals] = useState(rule?.approvals ?? 1);
  const [teamIds, setTeamIds] = useState(rule?.teams?.map(({ id }) => id) ?? []);
  const saving = useMutation({
    mutationFn: () =>
      setRule(org, folder, { approvals, teamIds: teamIds.length === 0 ? undefined : teamIds }),
    onSuccess: (list) => {
      client.setQueryData(rulesQuery(org).queryKey, list);
      onClose();
    },
  });
  const title = rule ? "Edit rule" : "New rule";
  return (
    <Modal opened onClose={onClose} title={title}>
      <DialogForm
        label={title}
        action="Save"
        isPending={saving.isPending}
        error={saving.error}
        onSubmit={() => saving.mutate()}
        onClose={onClose}
      >
        <Select
          label="Folder"
          description="The rule of the deepest folder around a skill applies."
          data={[
            { value: root, label: "All skills of the organization" },
            ...folders.map(({ id, path }) => ({ value: id, label: visibleText(path) })),
          ]}
          value={folder}
          disabled={rule !== undefined}
          allowDeselect={false}
          searchable
          onChange={(value) => setFolder(value ?? root)}
        />
        <NumberInput
          label="Approvals"
          description="People can't approve a version that they published."
          min={1}
          max={3}
          value={approvals}
          onChange={(value) => setApprovals(Number(value) || 1)}
        />
        <MultiSelect
          label="Teams"
          description="Only members of these teams can review. Without a team, everyone whose role allows it."
          searchable
          data={teams.map(({ id, name }) => ({ value: id, label: visibleText(name) }))}
          value={teamIds}
          nothingFoundMessage="No team was found."
          onChange={setTeamIds}
        />
      </DialogForm>
    </Modal>
  );
}
