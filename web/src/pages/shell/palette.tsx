import "@mantine/spotlight/styles.layer.css";
import { useDebouncedValue } from "@mantine/hooks";
import { Spotlight, spotlight } from "@mantine/spotlight";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Compass, FileText, House, Search } from "lucide-react";
import { useEffect, useState } from "react";
import { catalogQuery } from "../../api/catalog.ts";

const debounceMs = 120;
const shown = 8;

/** Finds pages and skills. It opens as it is mounted. */
export function Palette() {
  const [query, setQuery] = useState("");
  const [asked] = useDebouncedValue(query.trim(), debounceMs);
  const navigate = useNavigate();
  const isSearch = asked.length > 1;
  const found = useInfiniteQuery({ ...catalogQuery({ query: asked }), enabled: isSearch });
  useEffect(() => {
    spotlight.open();
  }, []);
  return (
    <Spotlight.Root
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      attributes={{ content: { "aria-label": "Search or jump to" } }}
    >
      <Spotlight.Search
        placeholder="Search or jump to"
        aria-label="Search or jump to"
        leftSection={<Search size={16} />}
      />
      <Spotlight.ActionsList>
        <Spotlight.ActionsGroup label="Pages">
          <Spotlight.Action
            label="Home"
            leftSection={<House size={16} />}
            onClick={() => void navigate({ href: "/" })}
          />
          <Spotlight.Action
            label="Explore"
            leftSection={<Compass size={16} />}
            onClick={() => void navigate({ to: "/explore" })}
          />
        </Spotlight.ActionsGroup>
        {isSearch && (
          <Spotlight.ActionsGroup label="Skills">
            {(found.data?.pages[0]?.data ?? []).slice(0, shown).map((skill) => (
              <Spotlight.Action
                key={skill.publicId}
                label={`${skill.tenantSlug}/${skill.slug}`}
                description={skill.description}
                leftSection={<FileText size={16} />}
                onClick={() => void navigate({ href: `/${skill.tenantSlug}/${skill.slug}` })}
              />
            ))}
          </Spotlight.ActionsGroup>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}
