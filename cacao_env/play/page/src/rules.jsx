// The rules, from docs/rules.md and its Spanish companion, and the keys.

import english from "../../../../docs/rules.md";
import { app } from "./app.js";
import spanish from "./rules/es.md";
import { language, t } from "./words.js";

/** @type {Record<string, string>} name of a picture to its address */
const PICTURES = /** @type {any} */ (globalThis).RULES_PICTURES ?? {};
const IMAGE = /^!\[(.*?)\]\(pictures\/rules\/(\w+)\.svg\)$/;

/** @param {{ text: string }} props a line that may be a picture */
function Inline({ text }) {
  const [, alt, name] = IMAGE.exec(text.trim()) ?? [];
  return name ? <img src={PICTURES[name]} alt={alt} /> : text;
}

/** @param {{ part: string }} props */
function Block({ part }) {
  if (part.startsWith("## ")) return <h2>{part.slice(3)}</h2>;
  if (part.startsWith("| ")) return <Table lines={part.split("\n")} />;
  const items = part.split(/(?:^|\n)(?:- |\d\. )/).slice(1);
  if (!items.length)
    return (
      <p>
        <Inline text={part} />
      </p>
    );
  const List = /^\d/.test(part) ? "ol" : "ul";
  return (
    <List>
      {items.map((item) => (
        <li key={item}>{item}</li>
      ))}
    </List>
  );
}

/** @param {{ lines: string[] }} props */
function Table({ lines }) {
  const [head, , ...rows] = lines.map((line) => line.replace(/^\| | \|$/g, "").split(" | "));
  return (
    <table>
      <thead>
        <tr>
          {head.map((one) => (
            <th key={one} scope="col">
              {one}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells) => (
          <tr key={cells[0]}>
            {cells.map((one) => (
              <td key={one}>
                <Inline text={one} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Rules() {
  const text = language === "es" ? spanish : english;
  return (
    <div class="rules" tabIndex={0} role="region" aria-label={t.rules}>
      {text
        .trim()
        .split(/\n{2,}/)
        .slice(1)
        .map((part) => (
          <Block key={part} part={part} />
        ))}
      <h2>{t.keys}</h2>
      <table>
        <tbody>
          {t.keyList.map(([key, what]) => (
            <tr key={key + what}>
              <th scope="row">
                <kbd>{key}</kbd>
              </th>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="quiet">cacao-env {app.engine.version}</p>
    </div>
  );
}
