// memkit plugin for OpenCode: what happens goes to `memkit hook`, what that says goes to the model.
// Written by `memkit install opencode`, removed by `memkit uninstall opencode`.
import { spawn } from "node:child_process"

const COMMAND = __COMMAND__
const LIMIT_MS = 5000

// Answer of the hook, {} if it says nothing; it never fails and never keeps OpenCode waiting.
const ask = (event, cwd) =>
  new Promise((resolve) => {
    const child = spawn(COMMAND[0], COMMAND.slice(1), {
      cwd,
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true,
    })
    const parts = []
    const end = () => {
      clearTimeout(timer)
      try {
        resolve(JSON.parse(Buffer.concat(parts).toString("utf8")))
      } catch {
        resolve({})
      }
    }
    const timer = setTimeout(() => child.kill(), LIMIT_MS)
    child.on("error", end)
    child.on("close", end)
    child.stdin.on("error", () => {})
    child.stdout.on("data", (part) => parts.push(part))
    child.stdin.end(JSON.stringify(event))
  })

export const Memkit = async ({ directory }) => {
  const pages = new Map() // by session: what it knows from its start
  const contexts = new Map() // by session: what its last prompt brought
  const warnings = new Map() // by call
  const send = (hook_event_name, fields) =>
    ask({ hook_event_name, cwd: directory, ...fields }, directory)
  const begin = async (sessionID, source) => {
    const answer = await send("session.created", { sessionID, source })
    pages.set(sessionID, answer.additionalContext)
  }
  return {
    event: async ({ event }) => {
      const sessionID = event.properties?.sessionID ?? event.properties?.info?.id
      if (event.type === "session.compacted") await begin(sessionID, "compact")
      if (event.type === "session.idle") await send(event.type, { sessionID })
      if (event.type === "session.deleted") await send(event.type, { sessionID })
    },
    "chat.message": async ({ sessionID }, { parts }) => {
      if (!pages.has(sessionID)) await begin(sessionID, "startup")
      const written = parts.filter((part) => part.type === "text" && !part.synthetic)
      const prompt = written.map((part) => part.text).join("\n")
      const answer = await send("chat.message", { sessionID, prompt })
      contexts.set(sessionID, answer.additionalContext)
    },
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      system.push(...[pages.get(sessionID), contexts.get(sessionID)].filter(Boolean))
    },
    "tool.execute.before": async (call, { args }) => {
      const answer = await send("tool.execute.before", { ...call, args })
      const reason = answer.permissionDecisionReason
      if (answer.permissionDecision === "deny") throw new Error(reason)
      if (answer.permissionDecision === "ask") throw new Error(`Ask the user first: ${reason}`)
      if (answer.additionalContext) warnings.set(call.callID, answer.additionalContext)
    },
    "tool.execute.after": async (call, result) => {
      await send("tool.execute.after", { ...call, output: result.output })
      const warning = warnings.get(call.callID) // there is no way to say it before the call
      if (warnings.delete(call.callID)) result.output = `${result.output}\n\n${warning}`
    },
    "experimental.session.compacting": async ({ sessionID }) => {
      await send("experimental.session.compacting", { sessionID })
    },
  }
}
