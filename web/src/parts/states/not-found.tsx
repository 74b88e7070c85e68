import { useQuery } from "@tanstack/react-query";
import { identityQuery } from "../../api/account/session.ts";
import { messages } from "../../messages.ts";
import { notFoundTitle, Page } from "../page/page.tsx";

/** One page for what does not exist and for what the caller may not see. It repeats no name of the address. */
export function NotFound() {
  const { data: identity } = useQuery(identityQuery);
  const back = encodeURIComponent(location.pathname + location.search);
  return (
    <Page title={notFoundTitle}>
      <div className="page stack gap-3">
        <h1>Not found</h1>
        <p className="sub">{messages.notFound}</p>
        {identity === null && (
          <p>
            <a href={`/sign-in?return_to=${back}`}>Sign in</a> to see the pages of your organizations.
          </p>
        )}
      </div>
    </Page>
  );
}
