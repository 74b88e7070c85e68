import "./layers.css";
import "./fonts.css";
import "./mantine.css";
import "./styles/preferences.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/controls.css";
import "./styles/reading.css";
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createRouter, RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { withinTime } from "../../contract/concurrency/within-time.ts";
import { routeTree } from "../generated/route-tree.ts";
import { identityQuery } from "./api/account/session.ts";
import { ApiError } from "./api/client.ts";
import { loadChunk } from "./connection/load-chunk.ts";
import { nonce } from "./nonce.ts";
import { Failed } from "./parts/states/failed.tsx";
import { NotFound } from "./parts/states/not-found.tsx";
import { PendingPage } from "./parts/states/pending-page.tsx";
import { cssVariablesResolver, theme } from "./theme.ts";

/**
 * Longest time for which the static frame of index.html stays, so that the first page appears whole; with the readable
 * text of a public page in it, it stays longer.
 */
const [frameMs, textMs] = [600, 10_000];

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: (count, error) =>
        count < 2 && !(error instanceof ApiError && error.status > 0 && error.status < 500),
    },
  },
});

const router = createRouter({
  routeTree,
  context: { client },
  defaultPreload: "intent",
  defaultPreloadStaleTime: 0, // Query decides what is fresh.
  defaultPendingMs: 0,
  defaultPendingComponent: PendingPage,
  scrollRestoration: true,
  scrollToTopSelectors: ["#main"],
  defaultErrorComponent: Failed,
  defaultNotFoundComponent: NotFound,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

// Problems of fields are shown under them, in place of the browser's bubbles.
document.addEventListener(
  "invalid",
  (event) => {
    event.preventDefault();
    const { target } = event;
    void import("./parts/field-problems/show.ts").then(({ showProblem }) =>
      showProblem(target as HTMLInputElement),
    );
  },
  true,
);

// The build calls it for each dynamic import.
Object.assign(globalThis, { loadChunk });

/** Not a top-level await: with one, the bundler moves lazy pages and their style sheets into the first load. */
async function start(root: HTMLElement): Promise<void> {
  const hasText = root.querySelector(".boot > main > *") !== null;
  // Not by a loader of the root route, without whose end the frame of the page would not be drawn.
  void client.prefetchQuery(identityQuery);
  const loaded = router.load();
  await withinTime(loaded, hasText ? textMs : frameMs, () => undefined);
  // Later pages take the place of the one that is open once they are loaded, which takes a while without a connection.
  void loaded.finally(() => router.update({ ...router.options, defaultPendingMs: Infinity }));
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <MantineProvider
          theme={theme}
          cssVariablesResolver={cssVariablesResolver}
          defaultColorScheme="auto"
          getStyleNonce={() => nonce}
        >
          <RouterProvider router={router} />
        </MantineProvider>
      </QueryClientProvider>
    </StrictMode>,
  );
}

const root = document.getElementById("root");
if (root) void start(root);
