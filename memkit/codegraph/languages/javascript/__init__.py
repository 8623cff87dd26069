"""JavaScript, TypeScript, Vue and Svelte."""
