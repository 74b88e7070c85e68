import { Button, Group, Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createFileRoute, useNavigate } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { activityPageSize, activityQuery, type ActivitySearch } from "../../api/account/account.ts";
import { ListSection } from "../../parts/lists/list-section.tsx";
import { NumberedPages } from "../../parts/lists/numbered-pages.tsx";
import { ActivityEntry } from "./activity-entry.tsx";
import { SettingsPage } from "./frame.tsx";

const kinds = [
  { value: "", label: "Everything" },
  { value: "skill.*", label: "Skills" },
  { value: "folder.*", label: "Folders" },
  { value: "user.*", label: "Your account" },
  { value: "organization.*", label: "Organizations" },
  { value: "team.*,role.*", label: "Teams and roles" },
  { value: "repohost_sync.*", label: "Repository sync" },
  { value: "personal_workspace.*", label: "Workspaces" },
];
const isDay = (text: unknown): text is string => typeof text === "string" && /^\d{4}-\d\d-\d\d$/.test(text);

export const Route = createFileRoute("/settings/activity")({
  validateSearch: (raw: Record<string, unknown>): ActivitySearch => ({
    action: kinds.find(({ value }) => value !== "" && value === raw["action"])?.value,
    from: isDay(raw["from"]) ? raw["from"] : undefined,
    to: isDay(raw["to"]) ? raw["to"] : undefined,
    page: Number.isSafeInteger(raw["page"]) && Number(raw["page"]) > 1 ? Number(raw["page"]) : undefined,
  }),
  component: ActivityPage,
});

function ActivityPage() {
  return (
    <SettingsPage title="Activity" about="What you did, and what tokens and devices did in your name.">
      {() => <Activity />}
    </SettingsPage>
  );
}

function Activity() {
  const search = Route.useSearch();
  const navigate = useNavigate({ from: Route.fullPath });
  const log = useQuery(activityQuery(search));
  const change = (part: ActivitySearch) =>
    void navigate({ search: (old) => ({ ...old, page: undefined, ...part }), replace: true });
  return (
    <>
      <Filters search={search} onChange={change} />
      <ListSection
        inPanel
        label="Entries"
        found={log}
        rows={6}
        rowHeight={44}
        empty="No entry matches. Try another period or everything."
      >
        {(entries) => entries.map((entry) => <ActivityEntry key={entry.id} entry={entry} />)}
      </ListSection>
      <NumberedPages
        total={log.data?.total}
        pageSize={activityPageSize}
        page={search.page}
        onPage={(page) => change({ page })}
      />
    </>
  );
}

function Filters({ search, onChange }: { search: ActivitySearch; onChange: (part: ActivitySearch) => void }) {
  const { action, from, to } = search;
  const given = Object.entries({ action, from, to }).filter((pair): pair is [string, string] =>
    Boolean(pair[1]),
  );
  const query = new URLSearchParams([...given, ["format", "csv"]]).toString();
  return (
    <Group gap="sm" align="flex-end">
      <Select
        label="About"
        w={170}
        data={kinds}
        value={action ?? ""}
        allowDeselect={false}
        onChange={(value) => onChange({ action: value || undefined })}
      />
      <TextInput
        type="date"
        label="From"
        value={from ?? ""}
        onChange={(event) => onChange({ from: event.currentTarget.value || undefined })}
      />
      <TextInput
        type="date"
        label="Before"
        value={to ?? ""}
        onChange={(event) => onChange({ to: event.currentTarget.value || undefined })}
      />
      <Button
        component="a"
        variant="default"
        href={`/api/user/audit-log/export?${query}`}
        download
        leftSection={<Download size={14} />}
      >
        Export CSV
      </Button>
    </Group>
  );
}
