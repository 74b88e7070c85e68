import { Button } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { createFileRoute, Link } from "@tanstack/react-router";
import { Hourglass } from "lucide-react";
import { countText } from "../../../../contract/text/count-text.ts";
import { waitingQuery, type Waiting } from "../../api/organization/reviews.ts";
import { OrganizationPage } from "../../parts/page/organization-page.tsx";
import { Empty } from "../../parts/states/empty.tsx";
import { Time } from "../../parts/text/time.tsx";
import { visibleText } from "../../parts/text/visible-text.ts";
import { Rules } from "./rules.tsx";
import "./reviews.css";

export const Route = createFileRoute("/$org/-/reviews/")({ component: ReviewsPage });

/** Versions that wait for a review, and the folders in which they do. */
function ReviewsPage() {
  const { org } = Route.useParams();
  const waiting = useInfiniteQuery({ ...waitingQuery(org), refetchInterval: 30_000 });
  const items = waiting.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <OrganizationPage org={org} title="Reviews" permission={["skill", "read"]} subject={waiting}>
      {(organization) => (
        <div className="page stack gap-4">
          <h1>Reviews</h1>
          <p className="sub">
            New versions in folders with a review rule are held until they are approved. Until then, only
            people who can update or review the skill get them.
          </p>
          {items.length === 0 ? (
            <Empty title="Nothing waits for a review">
              <p className="sub">
                Versions that you may decide about, and your own that wait, are listed here.
              </p>
            </Empty>
          ) : (
            <ul className="panel lines" aria-label="Versions that wait">
              {items.map((item) => (
                <WaitingLine key={item.version.id} org={org} item={item} />
              ))}
            </ul>
          )}
          {waiting.hasNextPage && (
            <Button
              variant="default"
              w="fit-content"
              loading={waiting.isFetchingNextPage}
              onClick={() => void waiting.fetchNextPage()}
            >
              Show more
            </Button>
          )}
          <Rules organization={organization} />
        </div>
      )}
    </OrganizationPage>
  );
}

function WaitingLine({ org, item }: { org: string; item: Waiting }) {
  const { skill, version, approvals, needed, mayDecide } = item;
  const [subject = ""] = version.message.split("\n");
  return (
    <li className="waiting">
      <Hourglass className="icon" aria-hidden="true" />
      <div className="clip grow">
        <Link to="/$org/-/reviews/$slug/$version" params={{ org, slug: skill.slug, version: version.semver }}>
          <b>{skill.slug}</b> <span className="mono">{version.semver}</span>
        </Link>{" "}
        <span className="sub">{visibleText(subject)}</span>
        <div className="meta">
          {version.author ? version.author.username : "a token"} <Time value={version.createdAt} /> ·{" "}
          {version.held?.includes("review")
            ? `${approvals} of ${countText(needed, "approval")}`
            : "held because of its scan"}
        </div>
      </div>
      {mayDecide && <span className="badge warn">waits for you</span>}
    </li>
  );
}
