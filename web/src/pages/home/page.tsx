import "./home.css";
import { useQuery } from "@tanstack/react-query";
import { createFileRoute } from "@tanstack/react-router";
import { identityQuery } from "../../api/account/session.ts";
import { Page } from "../../parts/page/page.tsx";
import { Failed } from "../../parts/states/failed.tsx";
import { SkeletonRows } from "../../parts/states/skeleton-rows.tsx";
import { PublishLink } from "../shell/publish-link.tsx";
import { MemberHome } from "./member.tsx";
import { VisitorHome } from "./visitor.tsx";

export const Route = createFileRoute("/")({ component: HomePage });

function HomePage() {
  const { data: identity, error, refetch } = useQuery(identityQuery);
  return (
    <Page title="Home" actions={identity && <PublishLink />}>
      <div className="page home stack gap-6">
        {error && <Failed error={error} reset={() => void refetch()} />}
        {identity === undefined && !error && <SkeletonRows rows={6} />}
        {identity === null && <VisitorHome />}
        {identity && <MemberHome identity={identity} />}
      </div>
    </Page>
  );
}
