-- Documents of frameworks: written by memkit/context/documents.py only.

-- name: document(project, namespace, key)
-- The document of a name; of two that were merged under it the newer.
select d.memory_id, d.namespace, d.key, d.value, m.created_at, d.updated_at
from named_documents d
join memories m on m.id = d.memory_id
where d.project = :project and d.namespace = :namespace and d.key = :key
order by d.updated_at desc, d.memory_id desc
limit 1;

-- name: document_of_memory(memory_id)
-- The document of a memory.
select d.memory_id, d.namespace, d.key, d.value, m.created_at, d.updated_at
from named_documents d
join memories m on m.id = d.memory_id
where d.memory_id = :memory_id;

-- name: documents_below(project, namespace)
-- Documents of a namespace and of those below it, in the order of their names; '' is all.
select d.memory_id, d.namespace, d.key, d.value, m.created_at, d.updated_at
from named_documents d
join memories m on m.id = d.memory_id
where d.project = :project
    and (:namespace = '' or d.namespace = :namespace
        or (d.namespace > :namespace || '.' and d.namespace < :namespace || '/'))
order by d.namespace, d.key, d.updated_at, d.memory_id;

-- name: walls_below(project, namespace)
-- Projects in which the memories of those documents lie.
select distinct m.project
from named_documents d
join memories m on m.id = d.memory_id
where d.project = :project
    and (:namespace = '' or d.namespace = :namespace
        or (d.namespace > :namespace || '.' and d.namespace < :namespace || '/'))
order by m.project;

-- name: document_namespaces(project)
-- Namespaces that hold a document.
select distinct namespace
from named_documents
where project = :project
order by namespace;

-- name: put_document(memory_id, project, namespace, key, value, at)
-- A document, in place of the one that its memory had.
insert into named_documents (memory_id, project, namespace, key, value, updated_at)
values (:memory_id, :project, :namespace, :key, :value, :at)
on conflict (memory_id) do update set
    project = excluded.project, namespace = excluded.namespace, key = excluded.key,
    value = excluded.value, updated_at = excluded.updated_at;
