-- How often each tool was called, how often it did what it was called for, and how long it took.
create view tool_success as
select tool_name as tool, count(*) as calls, sum(success) as successes,
    round(avg(success), 3) as success_rate, round(avg(duration_ms)) as mean_ms, max(timestamp) as last_at
from tool_executions
group by tool_name
order by calls desc, tool_name;
