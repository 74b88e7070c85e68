import { Button, Switch } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createFileRoute, Link } from "@tanstack/react-router";
import { Folder, Sparkles } from "lucide-react";
import { limits } from "../../../../contract/limits.ts";
import type { Identity } from "../../api/account/session.ts";
import {
  chooseFollowMail,
  followMailQuery,
  followsQuery,
  unfollow,
  type Follow,
  type FollowMail,
} from "../../api/following.ts";
import { iconProps } from "../../parts/icon.ts";
import { ListSection } from "../../parts/lists/list-section.tsx";
import { Segments } from "../../parts/page/segments.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { Problem } from "../../parts/states/problem.tsx";
import { Time } from "../../parts/text/time.tsx";
import { visibleText } from "../../parts/text/visible-text.ts";
import { SettingsPage } from "./frame.tsx";

export const Route = createFileRoute("/settings/notifications")({ component: NotificationsPage });

function NotificationsPage() {
  return (
    <SettingsPage
      title="Notifications"
      about="Skills and folders that you follow, and when you get mails about them or are reminded to update."
    >
      {(identity) => (
        <>
          <Mails identity={identity} />
          <Follows />
        </>
      )}
    </SettingsPage>
  );
}

const mails: { value: FollowMail; label: string }[] = [
  { value: "instant", label: "At once" },
  { value: "daily", label: "Once a day" },
  { value: "off", label: "Never" },
];

const explained: Record<FollowMail, string> = {
  instant: `Within minutes of a change, at most every ${limits.followMailMs / 60_000} minutes.`,
  daily: "One mail at 07:00 UTC with everything since the last one, and none if nothing changed.",
  off: "Changes are on your home page only.",
};

function Mails({ identity }: { identity: Identity }) {
  const client = useQueryClient();
  const found = useQuery(followMailQuery);
  const choose = useMutation({
    mutationFn: chooseFollowMail,
    onSuccess: (chosen) => client.setQueryData(followMailQuery.queryKey, chosen),
  });
  return (
    <section className="panel" aria-label="Mails">
      <Loaded found={found} rows={2} rowHeight={72}>
        {(chosen) => {
          const { mail, reviews } = { ...chosen, ...(choose.isPending && choose.variables) };
          return (
            <>
              <div className="choice">
                <div>
                  <h2>Mails about what you follow</h2>
                  <p className="meta">{explained[mail]}</p>
                </div>
                <Segments
                  label="Mails about what you follow"
                  value={mail}
                  data={mails}
                  onChange={(value) => choose.mutate({ mail: value })}
                />
              </div>
              <div className="choice">
                <div>
                  <h2>Mails about reviews</h2>
                  <p className="meta">Within minutes after a version begins to wait for your review.</p>
                </div>
                <Switch
                  aria-label="Mails about reviews"
                  checked={reviews}
                  onChange={(event) => choose.mutate({ reviews: event.currentTarget.checked })}
                />
              </div>
            </>
          );
        }}
      </Loaded>
      {!identity.emailVerified && (
        <p className="body sub">
          Mails are sent once you have confirmed your address: <Link to="/settings/account">Account</Link>
        </p>
      )}
      {choose.error && (
        <div className="body">
          <Problem error={choose.error} />
        </div>
      )}
    </section>
  );
}

function Follows() {
  const client = useQueryClient();
  const found = useQuery(followsQuery);
  const end = useMutation({
    mutationFn: ({ id }: Follow) => unfollow(id),
    onSuccess: (_, { id }) =>
      client.setQueryData(followsQuery.queryKey, (list = []) => list.filter((one) => one.id !== id)),
  });
  return (
    <ListSection
      title="Following"
      inPanel
      found={found}
      rowHeight={48}
      empty="You follow nothing yet. Skills have a Follow button, and so have folders in the library."
      filter={
        end.error && (
          <div className="body">
            <Problem error={end.error} />
          </div>
        )
      }
    >
      {(follows) => (
        <ul className="follows">
          {follows.map((one) => (
            <FollowLine
              key={one.id}
              follow={one}
              isEnding={end.isPending && end.variables.id === one.id}
              onEnd={() => end.mutate(one)}
            />
          ))}
        </ul>
      )}
    </ListSection>
  );
}

interface LineProps {
  follow: Follow;
  isEnding: boolean;
  onEnd: () => void;
}

function FollowLine({ follow: { kind, tenantSlug, path, name, createdAt }, isEnding, onEnd }: LineProps) {
  const Icon = kind === "folder" ? Folder : Sparkles;
  const address: string = kind === "folder" ? `/${tenantSlug}/-/library/${path}` : `/${tenantSlug}/${path}`;
  return (
    <li>
      <Icon {...iconProps} />
      <Link to={address} className="grow clip">
        <span className="dim">{tenantSlug}/</span>
        {visibleText(path)}
        {kind === "folder" && <span className="dim"> and everything in it</span>}
      </Link>
      <span className="meta hidden-on-phones">
        <Time value={createdAt} />
      </span>
      <Button
        size="compact-xs"
        variant="default"
        loading={isEnding}
        aria-label={`Unfollow ${name}`}
        onClick={onEnd}
      >
        Unfollow
      </Button>
    </li>
  );
}
