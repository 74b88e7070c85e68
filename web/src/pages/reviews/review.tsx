import "./reviews.css";
import { useQuery } from "@tanstack/react-query";
import { createFileRoute, Link } from "@tanstack/react-router";
import { countText } from "../../../../contract/text/count-text.ts";
import { reviewQuery, type Review } from "../../api/organization/reviews.ts";
import { refOf } from "../../api/skills/skills.ts";
import { OrganizationPage } from "../../parts/page/organization-page.tsx";
import { ReachNote } from "../../parts/reach/reach-note.tsx";
import { Time } from "../../parts/text/time.tsx";
import { visibleText } from "../../parts/text/visible-text.ts";
import { Changes } from "./changes.tsx";
import { Decision } from "./decision.tsx";
import { Entries } from "./entries.tsx";
import { ScanOfVersion } from "./scan-of-version.tsx";

export const Route = createFileRoute("/$org/-/reviews/$slug/$version")({ component: ReviewPage });

/** One version: who gets it and from whom, its changes, what others say, and the decision. */
function ReviewPage() {
  const { org, slug, version } = Route.useParams();
  const ref = refOf({ org, slug });
  const review = useQuery(reviewQuery(ref, version));
  const { data } = review;
  return (
    <OrganizationPage
      org={org}
      title="Review"
      crumbs={[{ label: "Reviews", link: { to: "/$org/-/reviews", params: { org } } }]}
      subject={review}
    >
      {() =>
        data && (
          <div className="page stack gap-4">
            <h1>
              Review {slug} <span className="mono">{version}</span>
            </h1>
            <Summary org={org} review={data} />
            <Changes org={org} slug={slug} review={data} />
            <ScanOfVersion org={org} review={data} />
            <Entries skillRef={ref} review={data} />
            <Decision skillRef={ref} review={data} />
          </div>
        )
      }
    </OrganizationPage>
  );
}

function Summary({ org, review }: { org: string; review: Review }) {
  const { skill, version, readers, approvals, needed, teams } = review;
  const states = {
    held: version.held?.includes("review")
      ? `It waits: ${approvals} of ${countText(needed, "approval")}.`
      : "It is held because of its scan.",
    rejected: `It was rejected: ${visibleText(version.rejected ?? "")}`,
    yanked: "It is yanked.",
    deprecated: "It is released, and deprecated.",
    published: "It is released.",
  };
  return (
    <div className="stack">
      <p>
        {version.author ? version.author.username : "A token"} published it <Time value={version.createdAt} />
        : {visibleText(version.message)}
      </p>
      <p className="sub">
        {states[version.state]} {countText(readers, "member")} of {org} can read{" "}
        <Link to="/$org/$slug" params={{ org, slug: skill.slug }}>
          {skill.slug}
        </Link>
        {skill.visibility === "private" ? "" : `, and it is ${skill.visibility}`}.
        {teams && ` Members of ${teams.map(({ name }) => visibleText(name)).join(", ")} review it.`}
      </p>
      <ReachNote skillRef={refOf({ org, slug: skill.slug })} semver={version.semver} can={skill.can} />
    </div>
  );
}
